package cluster

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// TestTurns: one sender makes ten thousand calls before two others make one each; the calls of
// these two are among the next three served, and each sender's calls are served in order.
func TestTurns(t *testing.T) {
	for _, most := range []int{0, 1, 3} {
		q := newQueue(most)
		for n := range 10_000 {
			require.Empty(t, q.push(&call{who: "flood", verb: fmt.Sprint(n)}))
		}
		require.Empty(t, q.push(&call{who: "ann"}))
		require.Empty(t, q.push(&call{who: "bob"}))
		served := map[string]int{}
		for n := range 10_002 {
			c := q.pop()
			if c.who == "flood" {
				require.Equal(t, fmt.Sprint(served["flood"]), c.verb)
			}
			if served[c.who]++; n == 2 {
				require.Equal(t, map[string]int{"flood": 1, "ann": 1, "bob": 1}, served)
			}
			q.done(c)
		}
		require.Zero(t, q.len())
		require.Zero(t, q.bytes)
		require.Empty(t, q.from)
		q.close()
		require.Nil(t, q.pop())
		require.Len(t, q.push(&call{who: "late"}), 1)
	}
}

// TestAtATime: no sender has more calls served at once than allowed, and other senders are served
// meanwhile.
func TestAtATime(t *testing.T) {
	q := newQueue(2)
	for range 5 {
		q.push(&call{who: "slow"})
	}
	one, two := q.pop(), q.pop()
	q.push(&call{who: "ann"})
	require.Equal(t, "ann", q.pop().who)
	require.Empty(t, q.ring, "the slow one has two")
	q.done(one)
	require.Equal(t, "slow", q.pop().who)
	require.Empty(t, q.ring)
	q.done(two)
	q.done(two)
	require.Equal(t, "slow", q.pop().who)
	require.Equal(t, "slow", q.pop().who)
	require.Zero(t, q.len())
}

// TestQueueBounds floods the queue at random: no sender exceeds senderMax, all senders together do
// not exceed queueMax, and small senders are never refused.
func TestQueueBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	q := newQueue(0)
	data := make([]byte, 4<<20)
	refused := 0
	for n := range 3000 {
		who := fmt.Sprint(rng.IntN(12))
		if n%100 == 99 {
			who = fmt.Sprint("modest ", n)
		}
		size := rng.IntN(len(data))
		if n%100 == 99 {
			size = 100
		}
		c := &call{who: who, data: data[:size]}
		lost := q.push(c)
		require.True(t, len(lost) < 2 || !slices.Contains(lost, c), "others lose calls only for a call that is accepted")
		for _, c := range lost {
			require.NotContains(t, c.who, "modest")
			refused++
		}
		if rng.IntN(8) == 0 {
			q.done(q.pop())
		}
		sum := 0
		for _, s := range q.from {
			require.LessOrEqual(t, s.bytes, senderMax)
			sum += s.bytes
		}
		require.Equal(t, sum, q.bytes)
		require.LessOrEqual(t, sum, queueMax)
	}
	require.Positive(t, refused)
}

func TestReadCall(t *testing.T) {
	me, other := newKey(t).id, newKey(t).id
	for subject, want := range map[string]bool{
		"kosumi.game." + me: true, "kosumi.game": false, "kosumi.game." + me + ".x": false, "kosumi.game.x": false, "kosumi.game.": false, "": false,
		"kosumi.game." + me[:55]: false, "kosumi.game." + "SUA" + me[3:]: false,
	} {
		_, ok := readCall(&nats.Msg{Subject: subject})
		require.Equal(t, want, ok, subject)
	}
	for reply, want := range map[string]bool{inboxOf(me) + ".a.b": true, inboxOf(me): false, inboxOf(other) + ".a": false, "kosumi.game." + me: false, "": false, inboxOf(me) + "x.a": false} {
		c, ok := readCall(&nats.Msg{Subject: "kosumi.game." + me, Reply: reply})
		require.True(t, ok)
		require.Equal(t, want, c.reply != "", reply)
	}
}
