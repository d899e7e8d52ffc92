package kafkachaos;

import java.util.List;
import java.util.Map;

import org.apache.kafka.connect.file.FileStreamSourceTask;
import org.apache.kafka.connect.source.SourceRecord;

/** Takes its cues in start, poll and stop. */
public final class CueSourceTask extends FileStreamSourceTask {
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
    public List<SourceRecord> poll() throws InterruptedException {
        cue.pass("poll");
        return super.poll();
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
