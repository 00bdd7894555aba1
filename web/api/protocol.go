package api

// Message is a kind of message: its name, the type of its field d, and for a
// command the type of the answer's, nil where the answer has none.
type Message struct {
	T       string
	D       any
	Answer  any
	Explain string
}

// Commands are what clients send. Package web answers exactly these.
var Commands = []Message{
	{"hello", Hello{}, Welcome{}, "the first message, within five seconds; the answer has t welcome"},
	{"ping", Ping{}, Pong{}, "compares clocks; a client that is silent for 45 seconds is left"},
	{"ack", Ack{}, nil, "the frame that was painted last; the next one comes then"},
	{"visible", Visible{}, nil, "whether anybody sees the page: without it no frames come, and after 5 seconds no search runs"},
	{"watch", Watch{}, nil, "asks for the state of something now, which is the answer, and for its events from now on"},
	{"unwatch", Watch{}, nil, "no more events of it"},
	{"network.use", Network{}, []Network{}, "changes the network by its name; searches that are under way end with the old one"},
	{"levels.on", OnBoard{}, []Level{}, "lists the levels on a board"},
	{"player.rank", PlayerRank{}, nil, "the rank that the player says to have"},
	{"player.names", SaidNames{}, nil, "names under which the player has played, and those of others"},
	{"network.fetch", FetchNetwork{}, nil, "fetches a network from an https address, or resumes one; watch networks reports its progress"},
	{"network.stop", NetworkName{}, nil, "stops fetching; what has come is kept"},
	{"network.forget", NetworkName{}, nil, "forgets a network that was not fetched to its end"},
	{"network.remove", NetworkName{}, nil, "deletes a network that is not in use"},
	{"game.new", NewGame{}, ID{}, "begins a game"},
	{"game.play", Play{}, nil, "makes a move; it is on disk when the answer comes"},
	{"game.undo", GameCommand{}, nil, "takes back to one's own last move"},
	{"game.redo", GameCommand{}, nil, "plays again what was taken back"},
	{"game.resign", GameCommand{}, nil, "gives up"},
	{"game.pause", GameCommand{}, nil, "stops the clock"},
	{"game.resume", GameCommand{}, nil, "resumes after a pause or a failure"},
	{"game.delete", GameCommand{}, nil, "removes a game with its files"},
	{"game.score", Score{}, nil, "a step of counting"},
	{"game.hint", AskHint{}, Hint{}, "help with the next move; the record says so"},
	{"game.teach", Teach{}, nil, "points out moves that lose much from now on, or no longer"},
	{"game.keep", GameCommand{}, nil, "stands by the move that the game's advice is about: the engine answers it"},
	{"game.estimate", GameCommand{}, Estimate{}, "how the game stands"},
	{"doc.new", NewDoc{}, ID{}, "makes a game tree: empty, of a game, of SGF"},
	{"doc.delete", ID{}, nil, "removes a game tree with its file"},
	{"tree.op", TreeOp{}, NodeRef{}, "changes a game tree; it is on disk when the answer comes, which holds something for play and setup only"},
	{"analysis.set", Analyse{}, nil, "what this connection analyses from now on"},
	{"life.ask", AskLife{}, LifeAsked{}, "asks whether stones live; the question before ends"},
	{"life.stop", LifeAsked{}, nil, "ends the search for an answer; what was proved stays"},
	{"life.play", PlayLife{}, LifeStep{}, "plays against the proof of the last answer"},
	{"review.add", AddReview{}, ID{}, "reviews a game of this server's; files come by POST /api/import?to=review"},
	{"review.again", ID{}, ID{}, "reviews a game once more, with the present network"},
	{"review.delete", ID{}, nil, "removes a review with its files"},
	{"review.front", ID{}, nil, "reviews a waiting game now"},
	{"review.pause", PauseReviews{}, nil, "stops all reviews, or lets them go on"},
	{"review.try", TryMove{}, Verdict{}, "judges another move in place of a mistake"},
	{"games.find", AskGames{}, KeptGames{}, "a page of all games that were played here"},
	{"lesson.done", ID{}, nil, "a lesson is done"},
	{"drill.problem", AskProblem{}, Problem{}, "one problem of the day"},
	{"drill.next", NextDrill{}, Drill{}, "the problem that is due"},
	{"drill.answer", DrillAnswer{}, DrillVerdict{}, "answers a problem"},
	{"drill.grade", GradeDrill{}, nil, "overrules the grade of the last answer"},
}

// Events are what servers send on their own, to those who watch. Those of Frame
// are numbered: only the newest is sent, once the last one was acknowledged.
var Events = []Message{
	{"engine.state", Engine{}, nil, "watch engine"},
	{"games.state", Games{}, nil, "watch games"},
	{"networks.state", NetworkList{}, nil, "watch networks"},
	{"profile.state", Profile{}, nil, "watch profile"},
	{"game.state", GameState{}, nil, "watch game:ID"},
	{"docs.state", Docs{}, nil, "watch docs"},
	{"doc.change", DocChange{}, nil, "watch doc:ID: these nodes have changed"},
	{"analysis.frame", Frame{}, nil, "after analysis.set, ten a second at most"},
	{"life.state", LifeState{}, nil, "after life.ask, or watch life: what is known by now; to the connection that asked"},
	{"reviews.state", Reviews{}, nil, "watch reviews"},
	{"reviews.progress", ReviewProgress{}, nil, "watch reviews: one of them has gone on; without points"},
	{"review.progress", ReviewProgress{}, nil, "watch review:ID"},
	{"review.result", Review{}, nil, "watch review:ID: what was found so far, or in the end; without boards"},
	{"training.state", Training{}, nil, "watch training"},
}
