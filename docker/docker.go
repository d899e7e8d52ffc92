// Package docker holds the recipes of the images that a cluster runs on, and
// says what each image is called: after a hash of its recipe, so that an image
// that is there never needs to be built again and a changed recipe never meets
// an old image.
//
// It builds nothing; package engine does.
package docker

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"kafkachaos/harness/topology"
)

//go:embed debian java maven kafka proxy toxiproxy connector
var files embed.FS

const (
	// Debian is the base of all images with Java, where a registry answers.
	Debian = "debian:" + Suite + "-20250520-slim"
	// Suite is the Debian release that the base is made of elsewhere. It is
	// frozen, and the last one with packages of both Java 11 and 17.
	Suite = "bullseye"
	// StageLabel marks the images that building a release leaves without a name:
	// the stage that resolves its jars, and what a failed build had made.
	StageLabel = "kafkachaos.stage"
)

// proxyModules are what the proxy server is built on. They stand here because the
// name of the image has to change with them.
var proxyModules = []string{"github.com/Shopify/toxiproxy/v2 v2.5.0", "github.com/vishvananda/netlink v1.3.1"}

// javaPackages are the Java runtimes as Suite has them, by major version.
var javaPackages = map[int]string{
	11: "openjdk-11-jre-headless=11.0.24+8-2~deb11u1",
	17: "openjdk-17-jre-headless=17.0.12+7-2~deb11u1",
}

// Recipe is an image that can be built: a build context with a Dockerfile, and
// the arguments for it.
type Recipe struct {
	Image string            // name:tag
	Files map[string][]byte // the build context
	Args  map[string]string
}

// DebianImage is the base image, pulled or made.
func DebianImage() string { return "kafkachaos/debian:" + hash(read("debian"), Debian) }

// RootFS is the script that makes the base where none can be pulled.
func RootFS() []byte { return read("debian")["rootfs.sh"] }

// Java is the recipe of the runtime of that major version: 11 or 17.
func Java(major int) Recipe {
	args := map[string]string{
		"DEBIAN": DebianImage(), "JAVA": fmt.Sprint(major), "PACKAGE": javaPackages[major],
	}
	return named(fmt.Sprintf("java:%d-", major), read("java"), args)
}

// Maven is the recipe of the image in which jars are resolved. The authorities
// (PEM) are those that this host trusts; they are part of this image only.
func Maven(authorities []byte) Recipe {
	context := read("maven")
	context["ca.pem"] = authorities
	return named("maven:", context, map[string]string{"DEBIAN": DebianImage()})
}

// Kafka is the recipe of a Kafka release, its jars resolved in a Maven image
// that trusts the authorities.
func Kafka(version topology.Version, authorities []byte) Recipe {
	context := read("kafka")
	context["lock.sha256"], _ = files.ReadFile("kafka/locks/" + version.String() + ".sha256")
	args := map[string]string{
		"JAVA":     Java(version.Java()).Image,
		"MAVEN":    Maven(nil).Image,
		"KAFKA":    version.String(),
		"SCALA":    version.Scala(),
		"PROFILES": profiles(version),
	}
	recipe := named("kafka:"+version.String()+"-", context, args)
	recipe.Args["MAVEN"] = Maven(authorities).Image // not part of the name: it leaves no trace
	return recipe
}

// Locked says whether the checksums of the version's jars are kept.
func Locked(version topology.Version) bool { return slices.Contains(Locks(), version.String()) }

// Locks are the releases whose jars have their checksums kept.
func Locks() (releases []string) {
	entries, _ := files.ReadDir("kafka/locks")
	for _, entry := range entries {
		releases = append(releases, strings.TrimSuffix(entry.Name(), ".sha256"))
	}
	return releases
}

// KafkaImage is the name of the image of a Kafka release.
func KafkaImage(version topology.Version) string { return Kafka(version, nil).Image }

// ProxyImage is the name of the image of the proxy server.
func ProxyImage() string { return Proxy(nil).Image }

// Proxy is the recipe of the proxy server, from its program. It is named after
// the program's sources.
func Proxy(program []byte) Recipe {
	context := read("proxy")
	image := "kafkachaos/toxiproxy:" + hash(context, strings.Join(proxyModules, " "), hash(read("toxiproxy")))
	context["toxiproxy"] = program
	return Recipe{Image: image, Files: context}
}

// ConnectorJar is where the image of the connectors has their jar.
const ConnectorJar = "/connector.jar"

// Connector is the recipe of an image that only holds a jar: connectors that fail
// and block on cue, compiled in a Maven image that trusts the authorities.
func Connector(authorities []byte) Recipe {
	recipe := named("connector:", read("connector"), map[string]string{"MAVEN": Maven(nil).Image})
	recipe.Args["MAVEN"] = Maven(authorities).Image // not part of the name: it leaves no trace
	return recipe
}

// ConnectorImage is the name of the image of the connectors.
func ConnectorImage() string { return Connector(nil).Image }

// profiles are the profiles of kafka/pom.xml that the release needs. From 3.2.0
// on no slf4j binding can be counted on; up to 1.0 Connect took JAXB from the
// Java of its day.
func profiles(version topology.Version) string {
	switch {
	case version.AtLeast("3.2.0"):
		return "binding"
	case !version.AtLeast("1.1.0"):
		return "jaxb"
	}
	return ""
}

func named(prefix string, context map[string][]byte, args map[string]string) Recipe {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(args)) {
		parts = append(parts, key+"="+args[key])
	}
	return Recipe{Image: "kafkachaos/" + prefix + hash(context, parts...), Files: context, Args: args}
}

// read returns the files of a folder by their paths in it, tests and locks
// left out.
func read(folder string) map[string][]byte {
	found := map[string][]byte{}
	_ = fs.WalkDir(files, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") || path.Base(path.Dir(name)) == "locks" {
			return err
		}
		found[strings.TrimPrefix(name, folder+"/")], err = files.ReadFile(name)
		return err
	})
	return found
}

// hash is short enough for a tag and long enough never to meet another.
func hash(context map[string][]byte, more ...string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(context)) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(context[name]), context[name])
	}
	for _, text := range more {
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}
