package remote

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"kosumi/nn/open"
)

// minToken is the minimum length of a token, so that nobody can guess it.
const minToken = 16

// ReadUsers reads users, one a line: NAME TOKEN [SEATS], and # begins a comment. There must be at
// least one user.
func ReadUsers(r io.Reader) ([]User, error) {
	var users []User
	scan := bufio.NewScanner(r)
	for n := 1; scan.Scan(); n++ {
		line, _, _ := strings.Cut(strings.TrimPrefix(scan.Text(), "\ufeff"), "#") // a file may begin with a byte order mark
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) < 2 || len(words) > 3 || len(words[1]) < minToken {
			return nil, fmt.Errorf("line %d: NAME TOKEN [SEATS] is expected, with a token of %d characters or more", n, minToken)
		}
		u := User{Name: words[0], Token: words[1]}
		if len(words) == 3 {
			var err error
			if u.Seats, err = strconv.Atoi(words[2]); err != nil || u.Seats < 1 {
				return nil, fmt.Errorf("line %d: a number of seats, 1 or more, is expected behind the token", n)
			}
		}
		for i := range users {
			if users[i].Name == u.Name || users[i].Token == u.Token {
				return nil, fmt.Errorf("line %d: %s has the name or the token of another user", n, u.Name)
			}
		}
		users = append(users, u)
	}
	if err := scan.Err(); err != nil {
		return nil, err
	}
	if len(users) == 0 {
		return nil, errors.New("no users")
	}
	return users, nil
}

// Metrics serves seats and evaluations by user in Prometheus' text format.
func Metrics(h *Host, f *open.Fair) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		fmt.Fprint(w, "# HELP kosumi_seats Seats in use.\n# TYPE kosumi_seats gauge\n")
		for user, n := range h.Seats() {
			fmt.Fprintf(w, "kosumi_seats{user=%q} %d\n", user, n)
		}
		fmt.Fprint(w, "# HELP kosumi_evaluations_total Positions that the network was asked about.\n# TYPE kosumi_evaluations_total counter\n")
		for user, n := range f.Evaluations() {
			fmt.Fprintf(w, "kosumi_evaluations_total{user=%q} %d\n", user, n)
		}
	})
}
