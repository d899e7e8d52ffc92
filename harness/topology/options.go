package topology

import (
	"fmt"
	"os"
	"path/filepath"
)

// ZooKeepers asks for an ensemble of n servers. ZooKeeper decides by majority,
// so an even ensemble survives no more than the odd one below it.
func ZooKeepers(n int) Option {
	return func(s *Spec) error {
		if n < 1 || n%2 == 0 || n > 5 {
			return fmt.Errorf("ask for %d ZooKeeper servers: want 1, 3 or 5, an ensemble decides by majority", n)
		}
		s.counts[ZooKeeper] = n
		return nil
	}
}

// Brokers asks for n brokers, with broker.id from 1.
func Brokers(n int) Option {
	return func(s *Spec) error {
		if n < 1 || n > maxNodes {
			return fmt.Errorf("ask for %d brokers: want 1 to %d", n, maxNodes)
		}
		s.counts[Broker] = n
		return nil
	}
}

// Workers asks for n Connect workers in distributed mode, all in one group.
func Workers(n int) Option {
	return func(s *Spec) error {
		if n < 0 || n > maxNodes {
			return fmt.Errorf("ask for %d workers: want 0 to %d", n, maxNodes)
		}
		s.counts[Worker] = n
		return nil
	}
}

// Kafka sets the release of every role.
func Kafka(version string) Option {
	return func(s *Spec) error {
		for _, role := range Roles() {
			if err := VersionOf(role, version)(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// VersionOf sets the release of one role. A worker speaks to brokers only, so
// it may be older or newer than they are.
func VersionOf(role Role, version string) Option {
	return func(s *Spec) error {
		v, err := ParseVersion(version)
		if err == nil {
			err = checkRole(role)
		}
		if err != nil {
			return fmt.Errorf("set the version of role %s: %w", role, err)
		}
		s.versions[role] = v
		return nil
	}
}

// Use chooses the profile.
func Use(profile Profile) Option {
	return func(s *Spec) error {
		if profile != Fast && profile != Production {
			return fmt.Errorf("use profile %d: want topology.Fast or topology.Production", int(profile))
		}
		s.profile = profile
		return nil
	}
}

// Configure sets one configuration key for every node of a role. It wins over
// the profile and loses against ConfigureNode.
func Configure(role Role, key, value string) Option {
	return func(s *Spec) error {
		if err := checkSetting(role, key, value); err != nil {
			return err
		}
		set(s.roleConfig, role, key, value)
		return nil
	}
}

// ConfigureNode sets one configuration key for one node.
func ConfigureNode(node Node, key, value string) Option {
	return func(s *Spec) error {
		if err := checkSetting(node.Role, key, value); err != nil {
			return err
		}
		set(s.nodeConfig, node, key, value)
		return nil
	}
}

// JVM appends options to the Java command of a role. They come after the
// harness's own, so that they win.
func JVM(role Role, options ...string) Option {
	return func(s *Spec) error {
		if err := checkRole(role); err != nil {
			return fmt.Errorf("set the JVM options of role %s: %w", role, err)
		}
		s.jvm[role] = append(s.jvm[role], options...)
		return nil
	}
}

// Plugins gives the workers a folder of plug-ins: jars, or one folder of jars
// a plug-in, as for plugin.path.
func Plugins(folder string) Option {
	return func(s *Spec) error {
		info, err := os.Stat(folder)
		if err != nil {
			return fmt.Errorf("use plug-in folder %s: %w", folder, err)
		}
		if !info.IsDir() {
			return fmt.Errorf("use plug-in folder %s: it is a file; name the folder that holds it", folder)
		}
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return fmt.Errorf("use plug-in folder %s: %w", folder, err)
		}
		s.plugins = append(s.plugins, absolute)
		return nil
	}
}

// maxNodes keeps the ports of a role apart from those of the next.
const maxNodes = 50

func set[K comparable](configs map[K]map[string]string, of K, key, value string) {
	if configs[of] == nil {
		configs[of] = map[string]string{}
	}
	configs[of][key] = value
}
