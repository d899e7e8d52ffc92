import java.util.concurrent.*;
import java.util.concurrent.locks.*;

public class Stuck {
    static final Object left = new Object(), right = new Object();
    static final CountDownLatch never = new CountDownLatch(1);
    static volatile long count;

    static void take(Object first, Object second, CountDownLatch both) {
        synchronized (first) {
            both.countDown();
            try { both.await(); } catch (InterruptedException e) { return; }
            synchronized (second) { count++; }
        }
    }
    static void deleteReassignment() throws InterruptedException { never.await(); }
    static void work() { while (true) { count++; Thread.yield(); } }

    static Thread start(String name, boolean daemon, Callable<Void> body) {
        Thread t = new Thread(() -> { try { body.call(); } catch (Exception e) { throw new RuntimeException(e); } }, name);
        t.setDaemon(daemon);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        CountDownLatch both = new CountDownLatch(2);
        start("locker \"one\"", true, () -> { take(left, right, both); return null; });
        start("locker-2", true, () -> { take(right, left, both); return null; });
        start("controller-event-thread", false, () -> { deleteReassignment(); return null; });
        start("busy", true, () -> { work(); return null; });
        ReentrantLock lock = new ReentrantLock();
        start("owner of a lock", true, () -> { lock.lock(); synchronized (never) { never.wait(); } return null; });
        Thread.sleep(200);
        start("waiter for a lock", true, () -> { lock.lock(); return null; });
        for (int i = 0; i < 40; i++) {
            System.out.println("[2026-01-02 03:04:05,678] INFO line " + i + " (kafka.server.KafkaServer)");
            if (i == 5) new IllegalStateException("a trace in the log").printStackTrace(System.out);
            Thread.sleep(100);
        }
        System.exit(0);
    }
}
