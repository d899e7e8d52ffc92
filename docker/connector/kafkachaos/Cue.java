package kafkachaos;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.apache.kafka.connect.errors.ConnectException;

/**
 * What a connector is told to do wrong, by a file beside it: a line each, such as
 * "block put" or "fail start". It is read again at every place that is passed, and
 * while one is blocked, so it can be changed at any time. No file, no cue.
 */
final class Cue {
    private static final String CONFIG = "cue";
    private static final String SETTINGS = "kafkachaos."; // what their keys begin with, that mean nothing to Kafka's own
    private static final long LOOK_AGAIN_MS = 20;

    private final Map<String, String> handedOn = new HashMap<>();
    private final Path file;

    Cue(Map<String, String> config) {
        for (Map.Entry<String, String> setting : config.entrySet()) {
            if (setting.getKey().equals(CONFIG) || setting.getKey().startsWith(SETTINGS)) {
                handedOn.put(setting.getKey(), setting.getValue());
            }
        }
        String path = config.get(CONFIG);
        file = path == null ? null : Paths.get(path);
    }

    /**
     * The configurations of tasks, which take their cues from the same file, and are
     * new when a setting of ours is: before 3.4.0 Kafka's own hand on what they know.
     */
    List<Map<String, String>> handOn(List<Map<String, String>> tasks) {
        List<Map<String, String>> all = new ArrayList<>();
        for (Map<String, String> one : tasks) {
            Map<String, String> cued = new HashMap<>(one);
            cued.putAll(handedOn);
            all.add(cued);
        }
        return all;
    }

    /** Leaves a line that a task has started in the file beside that of the cues. */
    void started() {
        if (file == null) {
            return;
        }
        Path starts = Paths.get(file + ".starts");
        try {
            Files.write(starts, Collections.singleton("started"), StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new ConnectException("cannot write " + starts, e);
        }
    }

    /** Fails or blocks if that is the cue for this place. No interrupt ends a block. */
    void pass(String place) {
        if (lines().contains("fail " + place)) {
            throw new ConnectException("failed in " + place + ", on cue");
        }
        block(place);
    }

    private void block(String place) {
        boolean interrupted = false;
        while (lines().contains("block " + place)) {
            try {
                Thread.sleep(LOOK_AGAIN_MS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> lines() {
        try {
            return file == null ? Collections.<String>emptyList() : Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return Collections.emptyList();
        }
    }
}
