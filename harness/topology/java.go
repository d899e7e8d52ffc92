package topology

// JavaOption is an option of Java that nodes are given, and why.
type JavaOption struct{ Option, Why string }

// JavaOptions are those of the nodes of a role, in both profiles: they make starts
// short and nodes small, and change no time-out.
func (s Spec) JavaOptions(role Role) []JavaOption {
	options := []JavaOption{
		{"-XX:+UseSerialGC", "the others have threads of their own, for which there is no processor"},
		{"-XX:TieredStopAtLevel=1", "short runs are all start-up, which the second compiler takes time from"},
		{"-Xmx256m", "a quarter of the machine by default, each; enough for the traffic of a scenario"},
	}
	if s.Version(role).RelocatesClassData() {
		options = append(options,
			JavaOption{"-XX:+UnlockDiagnosticVMOptions", "the next one is refused without it"},
			JavaOption{"-XX:ArchiveRelocationMode=0", "class data stay where they were archived for: elsewhere every page of them is written to, and the process's own"})
	}
	return options
}
