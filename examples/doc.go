// Package mychaos is how kafkachaos is used from outside: a module of its own,
// with a connector of its own under plugin, settings of its own for brokers and
// workers, and one scenario in plain testing. Nothing here knows what is internal
// to kafkachaos.
package mychaos
