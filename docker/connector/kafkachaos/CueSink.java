package kafkachaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.file.FileStreamSinkConnector;

/** Kafka's file sink, whose connector and tasks take cues. */
public final class CueSink extends FileStreamSinkConnector {
    private Map<String, String> config;
    private Cue cue;

    @Override
    public void start(Map<String, String> config) {
        this.config = config;
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
        List<Map<String, String>> all = new ArrayList<>();
        for (Map<String, String> one : super.taskConfigs(most)) {
            Map<String, String> cued = new HashMap<>(one);
            cued.put(Cue.CONFIG, config.get(Cue.CONFIG));
            all.add(cued);
        }
        return all;
    }

    @Override
    public void stop() {
        cue.pass("connector-stop");
        super.stop();
    }
}
