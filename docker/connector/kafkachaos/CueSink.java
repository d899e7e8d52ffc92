package kafkachaos;

import java.util.List;
import java.util.Map;

import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.file.FileStreamSinkConnector;

/** Kafka's file sink, whose connector and tasks take cues. */
public final class CueSink extends FileStreamSinkConnector {
    private Cue cue;

    @Override
    public void start(Map<String, String> config) {
        cue = new Cue(config);
        cue.pass("connector-start");
        super.start(config);
    }

    @Override
    public Class<? extends Task> taskClass() {
        return CueSinkTask.class;
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
