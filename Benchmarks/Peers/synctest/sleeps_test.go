// The sleeping benchmark in Go's testing/synctest, the peer of Sources/benchmarks/Engine/Sleeps.swift: equal tasks,
// equal sleeps, equal random numbers.
package sleeps

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

const tasks, sleepsPerTask = 200, 1000

func TestSleeps(t *testing.T) {
	start, startOfWork := time.Now(), processorTime()
	synctest.Test(t, func(t *testing.T) {
		var group sync.WaitGroup
		for i := range tasks {
			group.Go(func() {
				x := uint64(i + 77)
				for range sleepsPerTask {
					x = x*6364136223846793005 + 1442695040888963407
					time.Sleep(time.Duration(1+(x>>33)%2000) * time.Microsecond)
				}
			})
		}
		group.Wait()
	})
	fmt.Printf("seconds %f %f\n", time.Since(start).Seconds(), (processorTime() - startOfWork).Seconds())
}

// What the whole process has cost so far, garbage collection included.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
