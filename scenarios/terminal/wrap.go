package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// What a screen has room for.
const (
	Columns = 120
	Lines   = 40
)

// indent is where the text of a page begins, behind its labels.
const indent = 11

// section is a part of a page: a label, and a text beside it that is broken at words
// and cut after so many lines.
func section(label, text string, most int) []string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		lines = append(lines, wrap(strings.TrimRight(line, " \n"), Columns-indent)...)
	}
	if len(lines) > most {
		lines = append(lines[:most-1], fmt.Sprintf("… and %d lines more", len(lines)-most+1))
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(fmt.Sprintf("%-*s%s", indent, label, line), " ")
		label = ""
	}
	return lines
}

// wrap breaks a line at words. What follows is indented as the line is; a word that
// is longer than a line has one of its own.
func wrap(line string, width int) []string {
	words := strings.Fields(line)
	if len(words) == 0 {
		return []string{""}
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	margin = strings.ReplaceAll(margin, "\t", "    ")
	var lines []string
	current := margin + words[0]
	for _, word := range words[1:] {
		if utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > width {
			lines, current = append(lines, current), margin+word
			continue
		}
		current += " " + word
	}
	return append(lines, current)
}

// Cut is the beginning of a text on one line.
func Cut(text string, width int) string {
	line := strings.Join(strings.Fields(text), " ")
	if runes := []rune(line); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return line
}
