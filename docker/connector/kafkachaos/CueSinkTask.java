package kafkachaos;

import java.util.Collection;
import java.util.Map;

import org.apache.kafka.connect.file.FileStreamSinkTask;
import org.apache.kafka.connect.sink.SinkRecord;

/** Takes its cues in start, put and stop. */
public final class CueSinkTask extends FileStreamSinkTask {
    private Cue cue;
    private volatile boolean started; // stop may come from another thread, and before start is done

    @Override
    public void start(Map<String, String> config) {
        cue = new Cue(config);
        cue.pass("start");
        super.start(config);
        started = true;
        cue.started();
    }

    @Override
    public void put(Collection<SinkRecord> records) {
        if (!records.isEmpty()) {
            cue.pass("put");
        }
        synchronized (CueSinkTask.class) { // tasks share the file, and older Javas write a line in two pieces
            super.put(records);
        }
    }

    @Override
    public void stop() {
        if (!started) {
            return; // workers of 0.9 stop such a task as well, and end of what is thrown then
        }
        cue.pass("stop");
        super.stop();
    }
}
