package docker

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"kafkachaos/harness/topology"
)

func TestKafkaRecipe(t *testing.T) {
	tests := []struct {
		version, scala, java, profiles string
	}{
		{"0.9.0.0", "2.11", "java:11-", "jaxb"},
		{"1.0.2", "2.11", "java:11-", "jaxb"},
		{"1.1.0", "2.12", "java:11-", ""},
		{"2.8.2", "2.13", "java:11-", ""},
		{"3.1.2", "2.13", "java:17-", ""},
		{"3.2.0", "2.13", "java:17-", "binding"},
		{"3.9.2", "2.13", "java:17-", "binding"},
	}
	for _, test := range tests {
		recipe := Kafka(topology.MustVersion(test.version), nil)
		if !strings.HasPrefix(recipe.Image, "kafkachaos/kafka:"+test.version+"-") {
			t.Errorf("image of %s is called %s", test.version, recipe.Image)
		}
		if !strings.Contains(recipe.Args["JAVA"], test.java) {
			t.Errorf("%s runs on %s, want %s", test.version, recipe.Args["JAVA"], test.java)
		}
		if recipe.Args["SCALA"] != test.scala || recipe.Args["PROFILES"] != test.profiles {
			t.Errorf("%s: got Scala %s and profiles %q, want %s and %q", test.version, recipe.Args["SCALA"],
				recipe.Args["PROFILES"], test.scala, test.profiles)
		}
	}
}

func TestAuthoritiesDoNotNameTheKafkaImage(t *testing.T) {
	version, authorities := topology.DefaultVersion, []byte("-----BEGIN CERTIFICATE-----")
	plain, trusting := Kafka(version, nil), Kafka(version, authorities)
	if plain.Image != trusting.Image {
		t.Errorf("authorities turned %s into %s", plain.Image, trusting.Image)
	}
	if trusting.Args["MAVEN"] != Maven(authorities).Image || plain.Args["MAVEN"] == trusting.Args["MAVEN"] {
		t.Errorf("jars are resolved in %s, want %s", trusting.Args["MAVEN"], Maven(authorities).Image)
	}
}

func TestAuthoritiesDoNotNameTheConnectorImage(t *testing.T) {
	authorities := []byte("-----BEGIN CERTIFICATE-----")
	if plain, trusting := Connector(nil), Connector(authorities); plain.Image != trusting.Image ||
		trusting.Args["MAVEN"] != Maven(authorities).Image {
		t.Errorf("authorities turned %s into %s, built in %s", plain.Image, trusting.Image, trusting.Args["MAVEN"])
	}
	for _, name := range []string{"Dockerfile", "build", "lock.sha256", "kafkachaos/Cue.java"} {
		if len(Connector(nil).Files[name]) == 0 {
			t.Errorf("the recipe of the connectors has no %s", name)
		}
	}
}

func TestLocks(t *testing.T) {
	locked, unlocked := topology.DefaultVersion, topology.MustVersion("3.9.99")
	if !Locked(locked) || Locked(unlocked) {
		t.Errorf("locked: %s %t, %s %t; want only the first", locked, Locked(locked), unlocked, Locked(unlocked))
	}
	lock := Kafka(locked, nil).Files["lock.sha256"]
	if !bytes.Contains(lock, []byte("  kafka_2.13-3.9.2.jar\n")) {
		t.Errorf("the lock of %s does not name its broker:\n%s", locked, lock)
	}
	if lock := Kafka(unlocked, nil).Files["lock.sha256"]; len(lock) > 0 {
		t.Errorf("%s has a lock:\n%s", unlocked, lock)
	}
}

func TestHash(t *testing.T) {
	one := hash(map[string][]byte{"a": []byte("bc")}, "d")
	for name, other := range map[string]string{
		"content": hash(map[string][]byte{"a": []byte("bd")}, "d"),
		"name":    hash(map[string][]byte{"ab": []byte("c")}, "d"),
		"more":    hash(map[string][]byte{"a": []byte("bc")}, "e"),
		"place":   hash(map[string][]byte{"a": []byte("bcd")}),
	} {
		if one == other {
			t.Errorf("another %s gives the same hash", name)
		}
	}
	if again := hash(map[string][]byte{"a": []byte("bc")}, "d"); again != one {
		t.Errorf("the same recipe hashes to %s and %s", one, again)
	}
}

func TestReadLeavesOutTestsAndLocks(t *testing.T) {
	for _, folder := range []string{"kafka", "toxiproxy", "java", "maven", "debian", "proxy"} {
		found := read(folder)
		if len(found) == 0 {
			t.Errorf("nothing found in %s", folder)
		}
		for name := range found {
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".sha256") {
				t.Errorf("%s/%s is part of the recipe", folder, name)
			}
		}
	}
}

func TestContext(t *testing.T) {
	recipe := Kafka(topology.DefaultVersion, nil)
	archive, err := recipe.Context()
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]int64{}
	for reader := tar.NewReader(bytes.NewReader(archive)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		modes[header.Name] = header.Mode
	}
	for name, want := range map[string]int64{"Dockerfile": 0o644, "run": 0o755, "archive": 0o755, "lock.sha256": 0o644} {
		if modes[name] != want {
			t.Errorf("mode of %s is %o, want %o", name, modes[name], want)
		}
	}
	if again, _ := recipe.Context(); !bytes.Equal(archive, again) {
		t.Error("the same recipe gives two contexts")
	}
}

func TestProxyImageIsNamedAfterItsLibrary(t *testing.T) {
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range proxyModules {
		if !bytes.Contains(module, []byte(required)) {
			t.Errorf("go.mod does not require %s: name its version in docker.go too", required)
		}
	}
}
