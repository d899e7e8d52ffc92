package kafkachaos;

import java.util.List;
import java.util.Map;

import org.apache.kafka.connect.file.FileStreamSourceTask;
import org.apache.kafka.connect.source.SourceRecord;

/** Takes its cues in start, poll and stop. */
public final class CueSourceTask extends FileStreamSourceTask {
    private Cue cue;

    @Override
    public void start(Map<String, String> config) {
        cue = new Cue(config);
        cue.pass("start");
        super.start(config);
    }

    @Override
    public List<SourceRecord> poll() throws InterruptedException {
        cue.pass("poll");
        return super.poll();
    }

    @Override
    public void stop() {
        if (cue == null) {
            return; // it never started: workers of 0.9 stop those as well, and end of what is thrown then
        }
        cue.pass("stop");
        super.stop();
    }
}
