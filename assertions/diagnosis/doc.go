// Package diagnosis says in plain sentences what is wrong with a cluster, from
// the symptoms that package harness collects: which node is gone or not
// registered, which thread waits for what, and for whom, up to the end of the
// chain; and which known bug looks like that.
//
// It reads nothing and decides no verdict: a scenario has failed by an assertion
// before anybody asks here why.
package diagnosis
