package witness

import (
	"path"
	"strconv"
)

// Where brokers and their controller keep in ZooKeeper what all have to know.
const (
	TopicsPath     = "/brokers/topics"
	BrokersPath    = "/brokers/ids"
	ControllerPath = "/controller"
	EpochPath      = "/controller_epoch"

	// Orders are written below it, and deleted by the controller once they are done.
	adminPath        = "/admin"
	deletionsPath    = adminPath + "/delete_topics"
	reassignmentPath = adminPath + "/reassign_partitions"
	electionPath     = adminPath + "/preferred_replica_election"
)

// Roots are the trees that tell of brokers, topics and the controller.
func Roots() []string {
	return []string{ControllerPath, EpochPath, path.Dir(BrokersPath), adminPath, "/isr_change_notification"}
}

// RegistrationPath is the node that a broker is registered by.
func RegistrationPath(broker int) string { return path.Join(BrokersPath, strconv.Itoa(broker)) }

// TopicPath is the node that tells which brokers are to hold the topic.
func TopicPath(topic string) string { return path.Join(TopicsPath, topic) }

// PartitionPath is the node in which a partition's leader keeps who is in sync.
func PartitionPath(topic string, number int) string {
	return path.Join(TopicPath(topic), "partitions", strconv.Itoa(number), "state")
}

// DeletionPath is the node that orders to delete a topic.
func DeletionPath(topic string) string { return path.Join(deletionsPath, topic) }
