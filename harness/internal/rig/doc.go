// Package rig makes the tools that faults act through out of the readers of
// package witness. Each type carries out one interface of package faults, and
// decides nothing: how a fault is built, proved and healed is not its matter.
package rig
