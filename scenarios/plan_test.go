package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"kafkachaos/faults"
	"kafkachaos/harness"
	"kafkachaos/harness/topology"
)

var _ = Describe("A cluster under a plan of faults", Label("plan", "drawn"), func() {
	It("is whole again after fifty drawn faults", Label("long"), SpecTimeout(12*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
		load := LoadThrough(ctx, cluster)
		runPlan(ctx, cluster, draw(cluster, 50))
		load.Judged(ctx)
	})

	It("is whole again after a few drawn faults", SpecTimeout(5*time.Minute), func(ctx SpecContext) {
		cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
		load := LoadThrough(ctx, cluster)
		runPlan(ctx, cluster, draw(cluster, 8))
		load.Judged(ctx)
	})

	It("keeps nothing of a plan that is interrupted, twenty times", Label("long"), SpecTimeout(20*time.Minute),
		func(ctx SpecContext) {
			cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
			random := faults.Random(seed(), "interruptions")
			for round := range 20 {
				plan, err := faults.Draw(seed()+uint64(round), shortBudget(8), cluster.Rig().Layout)
				Expect(err).NotTo(HaveOccurred())
				after := time.Duration(random.Int64N(int64(plan.Length())))
				By("interrupting after " + after.String())
				some, interrupt := context.WithTimeout(ctx, after)
				_, err = faults.Run(some, cluster.Rig(), plan, nil)
				interrupt()
				Expect(err).To(MatchError(context.DeadlineExceeded), "round %d: it is to be interrupted", round+1)
				Expect(err).NotTo(MatchError(faults.ErrNotHealed), "round %d", round+1)
				Expect(cluster.Rig().Active()).To(BeEmpty())
				expectWhole(ctx, cluster)
				Expect(faults.Audit(ctx, cluster.Rig())).To(Succeed(), "round %d, plan:\n%v", round+1, plan)
			}
		})

	if file := os.Getenv("PLAN"); file != "" {
		It("is whole again after the plan of the file", Label("file"), SpecTimeout(30*time.Minute), func(ctx SpecContext) {
			plan, err := faults.LoadPlan(file)
			Expect(err).NotTo(HaveOccurred())
			cluster := Start(ctx, topology.Brokers(3), topology.Workers(2))
			load := LoadThrough(ctx, cluster)
			runPlan(ctx, cluster, plan)
			load.Judged(ctx)
		})
	}
})

// seed is what plans are drawn from: SEED, or else ginkgo's own, which it prints.
func seed() uint64 {
	if text := os.Getenv("SEED"); text != "" {
		number, err := strconv.ParseUint(text, 10, 64)
		Expect(err).NotTo(HaveOccurred(), "SEED=%s: want a whole number", text)
		return number
	}
	return uint64(GinkgoRandomSeed())
}

// shortBudget spreads so many short faults over little time. The least hold is half
// as long again as a probe waits for the answer that a fault keeps back. A node is
// left alone for twice as long as a broker takes to start among others: one whose
// session expires while it starts ends for good (seen on 3.9.2).
func shortBudget(steps int) faults.Budget {
	return faults.Budget{
		Steps: steps, Length: time.Duration(steps) * 5 * time.Second,
		LeastFor: 3 * faults.Patience / 2, MostFor: 3 * time.Second, Settle: 10 * time.Second,
	}
}

func draw(cluster *harness.Cluster, steps int) faults.Plan {
	GinkgoHelper()
	plan, err := faults.Draw(seed(), shortBudget(steps), cluster.Rig().Layout)
	Expect(err).NotTo(HaveOccurred())
	return plan
}

// runPlan prints the plan, runs it, waits until the cluster is whole again, and keeps
// the plan and what became of it where the evidence goes.
func runPlan(ctx SpecContext, cluster *harness.Cluster, plan faults.Plan) {
	GinkgoHelper()
	file := filepath.Join(outFolder(), "plans", cluster.Run()+".plan")
	Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
	Expect(os.WriteFile(file, []byte(plan.String()), 0o600)).To(Succeed())
	GinkgoWriter.Printf("%v", plan)
	AddReportEntry(planEntry, file, ReportEntryVisibilityFailureOrVerbose)

	By("running a plan of " + strconv.Itoa(len(plan.Steps)) + " faults, " + plan.Length().String() + " long")
	execution, err := faults.Run(ctx, cluster.Rig(), plan, cluster.Rig().Recorder)
	GinkgoWriter.Printf("%v", execution)
	GinkgoWriter.Printf("99 of 100 steps began within %v of their time\n", execution.ScheduleError(0.99))
	Expect(os.WriteFile(file+".executed", []byte(execution.String()), 0o600)).To(Succeed())
	expectWhole(ctx, cluster) // first: what is wrong with the cluster may be why a step failed
	judge(classOf(err), err, "the plan")
}
