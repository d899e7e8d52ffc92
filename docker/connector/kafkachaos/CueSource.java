package kafkachaos;

import java.util.List;
import java.util.Map;

import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.file.FileStreamSourceConnector;

/** Kafka's file source, whose connector and tasks take cues. */
public final class CueSource extends FileStreamSourceConnector {
    private Cue cue;

    @Override
    public void start(Map<String, String> config) {
        cue = new Cue(config);
        cue.pass("connector-start");
        super.start(config);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return CueSourceTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
        return cue.handOn(super.taskConfigs(most));
    }

    @Override
    public void stop() {
        cue.pass("connector-stop");
        super.stop();
    }
}
