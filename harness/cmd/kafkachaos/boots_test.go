package main

import "testing"

func TestSpreadIsTheMedianAndTheRange(t *testing.T) {
	if got, want := spread("%5.2f s (%.2f to %.2f)", []float64{11, 9.5, 10.25}), "10.25 s (9.50 to 11.00)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
