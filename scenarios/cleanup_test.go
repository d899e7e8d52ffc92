package scenarios

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "kafkachaos/assertions"
	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

// However a run ends, it leaves nothing, or what was asked for. Each is shown on
// another run of this very program, which comes to its end in mid-fault.
var _ = Describe("A run", Label("harness"), func() {
	DescribeTable("leaves nothing behind", func(ctx SpecContext, how end) {
		victim := startVictim(ctx, how)
		if how == byInterrupt {
			Expect(victim.process.Process.Signal(syscall.SIGINT)).To(Succeed())
		}
		err := victim.process.Wait()
		Expect(err == nil).To(Equal(how == bySuccess), "whether such a run is a green one: %v", err)
		Expect(harness.Runs(ctx)).NotTo(ContainElement(victim.run))
	},
		Entry("after Ctrl-C in mid-fault", SpecTimeout(2*time.Minute), byInterrupt),
		Entry("after a panic in mid-fault", SpecTimeout(2*time.Minute), byPanic),
		Entry("after a time-out in mid-fault", SpecTimeout(2*time.Minute), byTimeout),
		Entry("after a failure in mid-fault", SpecTimeout(2*time.Minute), byFailure),
		Entry("after a success", SpecTimeout(2*time.Minute), bySuccess),
	)

	It("that failed leaves its cluster up where KEEP asks for it", SpecTimeout(2*time.Minute), func(ctx SpecContext) {
		victim := startVictim(ctx, byFailure, "KEEP=1")
		Expect(victim.process.Wait()).NotTo(Succeed())
		Expect(harness.Runs(ctx)).To(ContainElement(victim.run))
		Expect(harness.Sweep(ctx, harness.DeadOnly)).NotTo(ContainElement(victim.run), "it was kept on purpose")
		Expect(harness.Sweep(ctx, harness.KeptToo)).To(ContainElement(victim.run))
		Expect(harness.Runs(ctx)).NotTo(ContainElement(victim.run))
	})

	It("that was killed is swept by the next, which spares the living", SpecTimeout(3*time.Minute), func(ctx SpecContext) {
		mine := Start(ctx, topology.Brokers(1))
		victim := startVictim(ctx, byInterrupt)
		Expect(harness.Sweep(ctx, harness.DeadOnly)).NotTo(ContainElement(victim.run), "it lives")

		Expect(victim.process.Process.Kill()).To(Succeed())
		_ = victim.process.Wait() // it was killed
		Expect(harness.Runs(ctx)).To(ContainElement(victim.run), "a killed run leaves its containers")
		Expect(harness.Sweep(ctx, harness.DeadOnly)).To(ContainElement(victim.run))
		Expect(harness.Runs(ctx)).To(And(ContainElement(mine.Run()), Not(ContainElement(victim.run))))
		Expect(Read(ctx, mine.Broker(1).Registration)).To(BeRegistered())
	})
})

// end is how the other run comes to its end.
type end string

const (
	byInterrupt end = "interrupt" // from outside: it waits for it
	byPanic     end = "panic"
	byTimeout   end = "timeout"
	byFailure   end = "failure"
	bySuccess   end = "success"
)

// victimVariable asks this very test program to be the other run.
const victimVariable = "KAFKACHAOS_VICTIM"

var _ = Describe("A run that ends badly", Label("harness"), func() {
	how := end(os.Getenv(victimVariable))
	if how == "" {
		return
	}
	limit := NodeTimeout(2 * time.Minute)
	if how == byTimeout {
		limit = NodeTimeout(20 * time.Second)
	}
	It("sits in mid-fault", limit, func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(1))
		During(ctx, cluster, faults.Blackhole(cluster.Broker(1).LinksToZooKeeper()...), func() {
			_, _ = os.Stdout.WriteString("\nvictim " + cluster.Run() + "\n")
			switch how {
			case byPanic:
				panic("on purpose")
			case byFailure:
				Fail("on purpose")
			case bySuccess:
				return
			}
			<-ctx.Done()
		})
	})
})

type victim struct {
	process *exec.Cmd
	run     string
}

// startVictim starts another process with a cluster in mid-fault.
func startVictim(ctx context.Context, how end, environment ...string) victim {
	GinkgoHelper()
	By("starting another run, in mid-fault")
	program, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	process := exec.CommandContext(ctx, program, "-ginkgo.focus=A run that ends badly")
	process.Env = append(os.Environ(), "KEEP=", "PLAN=", victimVariable+"="+string(how))
	process.Env = append(process.Env, environment...)
	output, err := process.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(process.Start()).To(Succeed())
	lines := bufio.NewScanner(output)
	var seen []string
	for lines.Scan() {
		if run, found := strings.CutPrefix(lines.Text(), "victim "); found {
			go io.Copy(io.Discard, output) //nolint:errcheck // it ends with the process
			return victim{process, run}
		}
		seen = append(seen, lines.Text())
	}
	Fail("the other run came to no fault:\n" + strings.Join(seen, "\n"))
	return victim{}
}
