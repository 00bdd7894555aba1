package cluster

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"kosumi/internal/testshared"
	"kosumi/train/loop"
)

// attacks are made by a client with the token. None may get another client banned, or read or delete
// the data of another client.
var attacks = []struct {
	name string
	do   func(a *arena)
}{
	{"ban by a forged upload", func(a *arena) {
		id := a.worker.conf.Conn.ID
		for _, subject := range []string{subjectOf(verbGame, id), "kosumi.game", subjectOf(verbGame, "*"), subjectOf("*", id), subjectOf(verbGame, id+"."+a.raider.ID)} {
			a.forge(subject, "", a.garbage())
		}
		_, err := a.raider.nats.Request(subjectOf(verbGame, a.raider.ID), append(pack(map[string]string{"worker": id, "offer": a.server.leases.present().ID}), "\ngarbage"...), 10*time.Second)
		require.NoError(a.t, err)
	}},
	{"read another's inbox", func(a *arena) {
		id := a.worker.conf.Conn.ID
		for _, subject := range []string{inboxOf(id) + ".>", inboxOf(id) + ".*", "_INBOX.>", "_INBOX.*.>", ">", "*.*.>", "kosumi.>"} {
			a.listen(subject, "")
			a.listen(subject, "thieves")
		}
	}},
	{"come with another's key and no seed", func(a *arena) {
		k := Key{newKey(a.t).pair, a.worker.conf.Conn.ID}
		require.False(a.t, a.login(func(conn net.Conn) string { return connectLine(a.t, conn, k, a.token) }))
	}},
	{"repeat another's login", func(a *arena) {
		k, stolen := newKey(a.t), ""
		require.True(a.t, a.login(func(conn net.Conn) string {
			stolen = connectLine(a.t, conn, k, a.token)
			return stolen
		}))
		require.False(a.t, a.login(func(net.Conn) string { return stolen }))
	}},
	{"come without a proof", func(a *arena) {
		for _, more := range []string{"", `,"name":"server"`, `,"nkey":"` + a.worker.conf.Conn.ID + `"`, `,"nkey":"` + a.worker.conf.Conn.ID + `","sig":""`, `,"nkey":"U*","sig":"AA"`, `,"nkey":">","sig":"AA"`,
			`,"user":"` + a.worker.conf.Conn.ID + `"`, `,"jwt":"eyJ0"`} {
			require.False(a.t, a.login(func(net.Conn) string { return `CONNECT {"verbose":false,"auth_token":"` + a.token + `"` + more + `}` }), more)
		}
		k := newKey(a.t)
		require.False(a.t, a.login(func(conn net.Conn) string { return connectLine(a.t, conn, k, "wrong") }))
	}},
	{"have the server answer in another's name", func(a *arena) {
		for _, reply := range []string{subjectOf(verbGame, a.worker.conf.Conn.ID), subjectOf(verbRelease, a.worker.conf.Conn.ID), inboxOf(a.worker.conf.Conn.ID) + ".x", "$SYS.x", inboxOf(a.raider.ID)} {
			for _, verb := range []string{verbHello, verbStatus, verbGame, verbGate, verbOutcome, verbNet, verbLease} {
				a.forge(a.raider.subject(verb), reply, []byte(`{"id":"1"}`))
			}
		}
	}},
	{"send another's game again", func(a *arena) {
		one := a.site.worker(a.t.TempDir(), nil)
		a.runUntil([]*Worker{one}, a.settled(4))
		one.Close(5 * time.Second)
		games, _ := a.host.kept()
		a.join(a.raider)
		for _, data := range games {
			r, err := ask[receipt](a.t.Context(), a.raider, verbGame, append(append(pack(upload{a.server.leases.present().ID}), '\n'), data...), 10*time.Second)
			require.NoError(a.t, err)
			require.Equal(a.t, duplicate, r.Verdict)
		}
		after, twice := a.host.kept()
		require.Len(a.t, after, len(games))
		require.Zero(a.t, twice)
		require.Empty(a.t, a.server.Status().Aside)
	}},
	{"say hello 20,000 times", func(a *arena) {
		hello := pack(Card{Protocol: [2]int{ProtocolMin, Protocol}})
		for range 20_000 {
			require.NoError(a.t, a.raider.nats.PublishRequest(a.raider.subject(verbHello), inboxOf(a.raider.ID)+".x", hello))
		}
		require.NoError(a.t, a.worker.hello(a.t.Context()))
		require.Eventually(a.t, func() bool { return len(a.server.Status().Workers) == 2 }, time.Minute, time.Millisecond, "the raider has come")
		require.NoError(a.t, a.worker.hello(a.t.Context()))
		require.Len(a.t, a.server.Status().Workers, 2, "a connection is one worker")
	}},
	{"flood with uploads", func(a *arena) {
		a.join(a.raider)
		data := append(pack(upload{"nobody's"}), make([]byte, 1<<20-100)...)
		for range 400 {
			require.NoError(a.t, a.raider.nats.Publish(a.raider.subject(verbGame), data))
		}
		n := a.host.count()
		a.runUntil([]*Worker{a.site.worker(a.t.TempDir(), nil)}, func() bool { return a.host.count() > n })
	}},
	{"send too much at once", func(a *arena) {
		require.ErrorIs(a.t, a.raider.nats.Publish(a.raider.subject(verbGame), make([]byte, 2<<20)), nats.ErrMaxPayload)
		k := newKey(a.t)
		conn, err := net.Dial("tcp", a.addr)
		require.NoError(a.t, err)
		defer conn.Close()
		fmt.Fprintf(conn, "%s\r\nPUB %s 1000000000\r\n", connectLine(a.t, conn, k, a.token), subjectOf(verbGame, k.id))
		_, err = io.Copy(conn, io.LimitReader(zeros{}, 1e9))
		require.Error(a.t, err, "the broker hangs up")
		for _, verb := range []string{verbHello, verbGate, verbOutcome, verbLease} {
			a.forge(a.raider.subject(verb), inboxOf(a.raider.ID)+".x", []byte(strings.Repeat("[", 1<<20)))
		}
	}},
	{"hoard the numbers of games", func(a *arena) {
		a.join(a.raider)
		a.pass(a.raider)
		for range 20 {
			asks[leaseReply](a, a.raider, verbLease, leaseRequest{Want: 1 << 30})
		}
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		require.Equal(a.t, firstHeld, a.server.leases.held[a.raider.ID])
	}},
	{"steal or return another's numbers", func(a *arena) {
		id := a.worker.conf.Conn.ID
		a.server.mu.Lock()
		numbers, err := a.server.leases.grant(id, 5, time.Now())
		a.server.mu.Unlock()
		require.NoError(a.t, err)
		a.join(a.raider)
		asks[leaseReply](a, a.raider, verbLease, leaseRequest{Held: numbers})
		a.forge(a.raider.subject(verbBeat), "", pack(beat{Held: numbers}))
		a.forge(a.raider.subject(verbRelease), "", pack(beat{Held: numbers}))
		asks[leaseReply](a, a.raider, verbLease, leaseRequest{Held: numbers})
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		for _, n := range numbers {
			require.Equal(a.t, id, a.server.leases.out[n].worker)
		}
	}},
	{"speak with NATS itself", func(a *arena) {
		for _, subject := range []string{"$SYS.REQ.SERVER.PING", "$SYS.REQ.USER.INFO", "$JS.API.INFO", "$JS.API.STREAM.CREATE.x", "$JS.ACK.x", "$KV.x"} {
			_, err := a.raider.nats.Request(subject, nil, 20*time.Millisecond)
			require.Error(a.t, err, subject)
		}
		a.listen("$SYS.>", "")
		a.listen("$JS.>", "")
		_, err := a.raider.nats.Request("$SYS.REQ.SERVER."+a.broker.nats.ID()+".CONNZ", nil, 20*time.Millisecond)
		require.Error(a.t, err)
	}},
	{"take another's name", func(a *arena) {
		long := "test\x1b[2J\n\u202e" + strings.Repeat("é", 50_000)
		asks[welcome](a, a.raider, verbHello, Card{Name: "test", Protocol: [2]int{ProtocolMin, Protocol}})
		asks[welcome](a, a.raider, verbHello, Card{Name: long, Version: long, Processor: long, Price: -5, Protocol: [2]int{ProtocolMin, Protocol}})
		st := asks[Status](a, a.raider, verbStatus, nil)
		require.Len(a.t, st.Workers, 2)
		text := string(pack(st))
		require.NotContains(a.t, text, a.worker.conf.Conn.ID)
		require.Less(a.t, len(text), 4096)
		require.NotContains(a.t, text, `\u001b`)
		require.NotEqual(a.t, st.Workers[0].ID, st.Workers[1].ID)
	}},
	{"leave connections half open", func(a *arena) {
		for i := range 300 {
			conn, err := net.Dial("tcp", a.addr)
			require.NoError(a.t, err)
			a.t.Cleanup(func() { conn.Close() })
			if i%2 == 1 {
				io.WriteString(conn, "CONN")
			}
		}
		a.dial(newKey(a.t)).nats.Flush()
	}},
	{"crowd the workers out", func(a *arena) {
		a.server.mu.Lock()
		a.server.most = 8
		a.server.roster.members[a.worker.conf.Conn.ID].games.Gating = 1 // so that the worker counts as having played
		a.server.mu.Unlock()
		for range 30 {
			a.join(a.dial(newKey(a.t)))
		}
		fresh := a.site.worker(a.t.TempDir(), nil)
		require.NoError(a.t, fresh.hello(a.t.Context()))
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		require.NotNil(a.t, a.server.roster.members[a.worker.conf.Conn.ID])
		require.LessOrEqual(a.t, len(a.server.roster.members), 8)
	}},
	{"write into another's inbox", func(a *arena) {
		for _, subject := range []string{inboxOf(a.worker.conf.Conn.ID) + ".x", inboxOf(a.worker.conf.Conn.ID) + ".>"} {
			a.forge(subject, "", pack(gateReply{Refused: "forged"}))
		}
	}},
	{"take all games of a gating match and play none", func(a *arena) {
		a.taken(a.raider, 40, func(got []gateOffer) {
			require.LessOrEqual(a.t, len(got), 20, "the other worker has as many")
			a.server.mu.Lock()
			defer a.server.mu.Unlock()
			for _, e := range a.server.gate.games {
				if p := e.players[a.raider.ID]; p != nil {
					p.began = p.began.Add(-2 * gateSlow)
				}
			}
		})
	}},
	{"fail at all games of a gating match", func(a *arena) {
		a.taken(a.raider, 12, func(got []gateOffer) {
			for _, g := range got {
				require.Equal(a.t, stored, asks[receipt](a, a.raider, verbOutcome, gateOutcome{ID: g.ID, Error: "no"}).Verdict)
			}
		})
		require.NotContains(a.t, a.server.Status().Aside, a.raider.ID)
	}},
	{"send a game of a gating match that was not played", func(a *arena) {
		a.taken(a.raider, 12, func(got []gateOffer) {
			r := asks[receipt](a, a.raider, verbOutcome, gateOutcome{ID: got[0].ID, Outcome: loop.GateOutcome{Winner: "a", Moves: []int{25}}})
			require.Equal(a.t, rejected, r.Verdict, r.Reason)
		})
		require.Contains(a.t, a.server.Status().Aside[a.raider.ID], "gating match")
	}},
	{"send another's games of a gating match", func(a *arena) {
		other := a.dial(newKey(a.t))
		a.join(other)
		a.pass(other)
		a.taken(a.raider, 12, func(got []gateOffer) {
			for _, id := range []string{got[0].ID, "", "*", "1"} {
				require.NotEqual(a.t, stored, asks[receipt](a, other, verbOutcome, gateOutcome{ID: id, Error: "no"}).Verdict)
			}
			asks[gateReply](a, other, verbGate, gateRequest{Held: []string{got[0].ID}})
			a.server.mu.Lock()
			defer a.server.mu.Unlock()
			e := a.server.gate.find(got[0].ID)
			require.Contains(a.t, e.players, a.raider.ID)
			require.NotContains(a.t, e.players, other.ID)
			e.players[a.raider.ID].seen = time.Now().Add(-2 * gateSilent)
			for _, g := range got[1:] {
				delete(a.server.gate.find(g.ID).players, a.raider.ID)
			}
		})
	}},
	{"play a gating match without the exam", func(a *arena) {
		a.taken(a.raider, 12, func(got []gateOffer) {
			a.server.mu.Lock()
			clear(a.server.roster.members[a.raider.ID].passed)
			a.server.mu.Unlock()
			for _, g := range got {
				o, err := g.Game.Play(a.t.Context(), stub(a.t, 4), stub(a.t, 4))
				require.NoError(a.t, err)
				require.Equal(a.t, rejected, asks[receipt](a, a.raider, verbOutcome, gateOutcome{ID: g.ID, Outcome: o}).Verdict)
			}
		})
	}},
	{"read a file that is not a network in use", func(a *arena) {
		sum := fmt.Sprintf("%064x", 1)
		for _, w := range []wanted{{sum, 0}, {"", 0}, {"../address", 0}, {a.work.SHA256, 1 << 40}} {
			m, err := a.raider.nats.Request(a.raider.subject(verbNet), pack(w), 10*time.Second)
			require.NoError(a.t, err)
			require.Empty(a.t, m.Data)
		}
	}},
}

// TestAttacks runs each attack against an honest worker, which must stay unharmed.
func TestAttacks(t *testing.T) {
	testshared.Long(t)
	t.Parallel()
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			a := newArena(t)
			attack.do(a)
			a.check()
		})
	}
}
