package harness

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// message is one of a log before 0.11.0.0, as it is on disk.
func message(offset int64, value string) []byte {
	m := kmsg.MessageV0{Offset: offset, Value: []byte(value)}
	m.MessageSize = int32(len(m.AppendTo(nil)) - 12)
	m.CRC = int32(crc32.ChecksumIEEE(m.AppendTo(nil)[16:]))
	return m.AppendTo(nil)
}

// batch is one of a log since then, of one record.
func batch(offset int64, value string) []byte {
	record := kmsg.Record{Value: []byte(value)}
	record.Length = int32(len(record.AppendTo(nil)) - 1)
	b := kmsg.RecordBatch{FirstOffset: offset, Magic: 2, NumRecords: 1, Records: record.AppendTo(nil), ProducerID: -1, ProducerEpoch: -1, FirstSequence: -1}
	text := b.AppendTo(nil)
	binary.BigEndian.PutUint32(text[8:], uint32(len(text)-12))
	binary.BigEndian.PutUint32(text[17:], crc32.Checksum(text[21:], crc32.MakeTable(crc32.Castagnoli)))
	return text
}

func TestSegmentsAreParsed(t *testing.T) {
	tests := map[string]struct {
		text  []byte
		first int64
		want  []string
	}{
		"nothing":                       {nil, 0, nil},
		"messages":                      {append(message(4, "a"), message(5, "b")...), 4, []string{"a", "b"}},
		"batches":                       {append(batch(4, "a"), batch(5, "b")...), 4, []string{"a", "b"}},
		"messages before an upgrade":    {append(message(0, "a"), batch(1, "b")...), 0, []string{"a", "b"}},
		"a batch that is being written": {append(batch(4, "a"), batch(5, "b")[:40]...), 4, []string{"a"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			records, err := parseSegments(test.text)
			if err != nil || len(records) != len(test.want) {
				t.Fatalf("%v, %v", records, err)
			}
			for i, record := range records {
				if string(record.Value) != test.want[i] || record.Offset != test.first+int64(i) {
					t.Errorf("%q at %d, want %q at %d", record.Value, record.Offset, test.want[i], test.first+int64(i))
				}
			}
		})
	}
	spoilt := batch(0, "a")
	spoilt[len(spoilt)-2] ^= 1
	if records, err := parseSegments(spoilt); err == nil {
		t.Errorf("of a batch that was spoilt: %v", records)
	}
}
