package org.example;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** The connector under test: it appends the value of each record to a file, a line each. */
public class LineSink extends SinkConnector {
    private Map<String, String> settings;

    @Override public String version() { return "1"; }
    @Override public void start(Map<String, String> settings) { this.settings = settings; }
    @Override public Class<? extends Task> taskClass() { return LineTask.class; }
    @Override public List<Map<String, String>> taskConfigs(int most) { return Collections.nCopies(most, settings); }
    @Override public void stop() { }
    @Override public ConfigDef config() {
        return new ConfigDef().define("path", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "the file");
    }

    /** Writes what it is given; Connect commits the offsets once flush has returned. */
    public static class LineTask extends SinkTask {
        private BufferedWriter file;

        @Override public String version() { return "1"; }
        @Override public void start(Map<String, String> settings) {
            retriable(() -> file = Files.newBufferedWriter(Paths.get(settings.get("path")),
                StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        }
        @Override public void put(Collection<SinkRecord> records) {
            retriable(() -> {
                for (SinkRecord record : records) {
                    file.write(record.value() + "\n");
                }
            });
        }
        @Override public void flush(Map<TopicPartition, OffsetAndMetadata> offsets) { retriable(() -> file.flush()); }
        @Override public void stop() {
            if (file != null) { // a task that never started is stopped as well
                retriable(() -> file.close());
            }
        }

        private interface Writing { void run() throws IOException; }

        private static void retriable(Writing writing) {
            try {
                writing.run();
            } catch (IOException e) {
                throw new RetriableException(e);
            }
        }
    }
}
