// Package assertions holds what scenarios say of readings: gomega matchers over
// package state, named after what is observed. They stand together, a family a
// file, so that the vocabulary can be read in one sitting.
//
// A matcher judges one reading and gets nothing itself; a reading that could
// not be made is an error of the getter, never a reading to be judged.
package assertions
