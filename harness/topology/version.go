package topology

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Version is a Kafka release, such as 0.9.0.1 or 3.9.2. It is comparable with
// == and ordered by Before.
type Version struct {
	parts [4]int
	count int
}

// DefaultVersion is the last release line that runs on ZooKeeper.
var DefaultVersion = MustVersion("3.9.2")

// The releases that this harness can run: from the first with Kafka Connect to
// the last with ZooKeeper.
var (
	oldest  = MustVersion("0.9.0.0")
	kraft   = MustVersion("4.0.0")
	noSplit = MustVersion("1.0.0") // from here a version has three parts
)

var versionForm = regexp.MustCompile(`^\d{1,4}(\.\d{1,4}){2,3}$`)

// ParseVersion reads a release number and refuses those that cannot run here.
// Whether it was ever published only Maven Central can tell.
func ParseVersion(text string) (Version, error) {
	if !versionForm.MatchString(text) {
		return Version{}, fmt.Errorf("parse Kafka version %q: want a release such as 3.9.2 or 0.9.0.1", text)
	}
	var v Version
	for part := range strings.SplitSeq(text, ".") {
		v.parts[v.count], _ = strconv.Atoi(part)
		v.count++
	}
	switch {
	case v.Before(oldest):
		return Version{}, fmt.Errorf("parse Kafka version %q: Kafka Connect begins with 0.9.0.0", text)
	case !v.Before(kraft):
		return Version{}, fmt.Errorf("parse Kafka version %q: Kafka has no ZooKeeper from 4.0.0 on, the last release here is 3.9.2", text)
	case v.Before(noSplit) != (v.count == 4):
		return Version{}, fmt.Errorf("parse Kafka version %q: releases before 1.0.0 have four numbers, later ones three", text)
	}
	return v, nil
}

// MustVersion is ParseVersion for versions written in code.
func MustVersion(text string) Version {
	v := Version{}
	for part := range strings.SplitSeq(text, ".") {
		v.parts[v.count], _ = strconv.Atoi(part)
		v.count++
	}
	return v
}

func (v Version) String() string {
	parts := make([]string, v.count)
	for i := range parts {
		parts[i] = strconv.Itoa(v.parts[i])
	}
	return strings.Join(parts, ".")
}

// IsZero says that no version was given.
func (v Version) IsZero() bool { return v.count == 0 }

// Before says whether v was numbered before other.
func (v Version) Before(other Version) bool {
	for i := range v.parts {
		if v.parts[i] != other.parts[i] {
			return v.parts[i] < other.parts[i]
		}
	}
	return false
}

// AtLeast says whether v is the release with that number or a later one.
func (v Version) AtLeast(release string) bool { return !v.Before(MustVersion(release)) }

// MarshalText writes the release number.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a release number.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}
