package sgf

import (
	"slices"
	"strings"
	"unicode"
)

// decodeAll converts the non-ASCII values of a game tree to UTF-8, in place. Valid
// UTF-8 counts more than CA: editors write UTF-8 and keep an old CA.
func (p *parser) decodeAll(declared charset) {
	var sample strings.Builder
	others := p.raw[:0]
	for _, raw := range p.raw {
		v := raw.value
		if shifts(*v) {
			*v = iso2022.decode(*v)
		}
		*v = strings.ReplaceAll(*v, "\x1b", "") // an ESC left in the text would look like ISO-2022-JP when it is read again
		if isUTF8(*v) {
			*v = mended(raw.property, *v)
			continue
		}
		others = append(others, raw)
		if sample.Len() < sampled {
			sample.WriteString(*v)
			sample.WriteByte(' ')
		}
	}
	if sample.Len() > 0 {
		p.last = guess(sample.String(), declared, p.last)
		for _, v := range others {
			*v.value = mended(v.property, p.last.decode(*v.value)) // broken characters may leave a bare bracket
		}
	}
	clear(p.raw)
	p.raw = p.raw[:0]
}

// shifts reports whether a value is in ISO-2022-JP, which needs no byte above 127.
func shifts(value string) bool {
	return strings.Contains(value, "\x1b$") && strings.IndexFunc(value, func(r rune) bool { return r >= 0x80 }) < 0
}

// sampled is roughly the number of bytes of a game tree that decide its charset.
const sampled = 1500

// guess returns the charset in which a text reads best. A declared charset, and that of the
// previous game tree, have an advantage.
func guess(sample string, declared, before charset) charset {
	text := utf8Text.decode(sample)
	if !strings.Contains(text, "\uFFFD") {
		return utf8Text
	}
	high := 0
	for i := range len(sample) {
		high += int(sample[i] >> 7)
	}
	best, most := utf8Text, plausible(text)
	if declared.utf8 {
		most = 0 // UTF-8 with a few broken bytes is likelier than implausible text in another charset
	}
	try := func(c charset, bonus int) (sure bool) {
		if c == (charset{}) || c.utf8 {
			return false
		}
		text := c.decode(sample)
		if bonus > 0 && strings.Contains(text, "\uFFFD") {
			bonus = 1
		}
		points := plausible(text)
		if points+bonus > most {
			best, most = c, points+bonus
		}
		return points > 3*high/2
	}
	trust := 3 + high
	if !slices.Contains(candidates, declared) {
		trust += 5 * high // nobody names a rare charset by mistake
	}
	if try(declared, trust) || try(before, 1+high/4) {
		return best
	}
	for _, c := range candidates {
		try(c, 0)
	}
	return best
}

// plausible rates how much a text looks like names and comments: two points per byte of common
// characters, fewer for less common ones, and negative points for characters that are rare or do not
// occur in records.
func plausible(text string) (points int) {
	before, r := ' ', ' '
	for _, after := range text {
		if r >= 0x80 {
			points += plausibleRune(before, r, after)
		}
		before, r = r, after
	}
	if r >= 0x80 {
		points += plausibleRune(before, r, ' ')
	}
	return points
}

func plausibleRune(before, r, after rune) int {
	switch {
	case r == '\uFFFD':
		return -12
	case r < 0xA0 || r >= 0xE000 && r < 0xF900: // controls, private use
		return -8
	case r >= 0x3041 && r <= 0x30FE || isUsual(r): // kana
		return 4
	case r >= 0xAC00 && r <= 0xD7A3:
		return 1
	case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E || r >= 0x2010 && r <= 0x2026:
		return 1
	case r >= 0xFF61 && r <= 0xFF9F: // half-width kana
		return -1
	case r >= 0x3400 && r <= 0x9FFF || r >= 0x20000:
		return -1
	case r >= 0x400 && r < 0x530:
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return -2
		}
		return plausibleCase(before, r)
	case r >= 0xC0 && r < 0x250 && r != 0xD7 && r != 0xF7: // Latin
		switch {
		case before >= 0x80 && unicode.IsLetter(before) || after >= 0x80 && unicode.IsLetter(after):
			return -2
		case isLetter(byte(before)) || isLetter(byte(after)):
			return plausibleCase(before, r)
		}
		return -2
	case r < 0xC0:
		return -1
	}
	return -4
}

// plausibleCase favours a capital at the beginning of a word and lower case after it.
func plausibleCase(before, r rune) int {
	if unicode.IsUpper(r) && unicode.IsLower(before) {
		return -3
	}
	if unicode.IsLower(r) == unicode.IsLetter(before) {
		return 2
	}
	return 1
}

// usual has one bit for each character of Chinese, Japanese and Korean that is common in names of
// players and events and in short remarks.
var usual = func() *[1 << 10]uint64 {
	set := new([1 << 10]uint64)
	for _, r := range chinese + japaneseNames + koreanSyllables {
		set[r>>6] |= 1 << (r & 63)
	}
	return set
}()

func isUsual(r rune) bool { return r < 1<<16 && usual[r>>6]>>(r&63)&1 != 0 }

const (
	chinese = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运" +
		"這個們來為國說時會對過發後種經麼現當沒動面還進樣從實軍無與長機關點業將兩間問應戰頭體見產話內給門兒東聲員論處義幾認條係氣題爾別變總電數報結務場計區隊決馬書則聽卻達強難權設記類據邊張該規萬覺術領確傳師觀讓識帶導爭運許勝敗負棋圍盤貫" +
		"李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文聂卫平洁昊晓炜柯丁廷辰芈昱廷唐韦星檀啸时越廷钧毅童梦成陶欣然党毅飞江铸久俞斌伟刚辉强军丽敏静杰涛明华建志勇国玉春雪梅琴燕嘉宁宇轩浩俊豪子涵雨" +
		"劉陳楊趙黃吳孫馬羅鄭謝韓馮蕭鄧許呂蘇盧蔣賈葉閻鍾譚鄒陸顧龍錢湯喬賀賴龔聶衛勳潔曉煒辰銘偉剛輝麗靜傑濤華國" +
		"围棋谱对局段级黑白胜负先贴目中盘半手让子决赛半决赛预选第届杯轮名人战天元本因坊棋圣王位新浪腾讯弈城野狐业余职业冠军联赛循环挑战快棋圍譜對級讓貼決賽預選屆盃輪戰聖職業餘聯環劉小光錢宇平江鑄久芮迺偉依田紀基周俊勳林海峰張栩王立誠王銘琬蘇羽許功蓋"
	japaneseNames = "田中山本木村高橋小林藤井上野石川池加佐伊渡辺斎齋松吉原岡島清大内前後森長谷部坂遠近青福西三浦太一二郎子美雄夫男正宏明和義秀樹治武宮加藤正夫趙治勲小林光一坂田栄寿呉清源木谷実橋本宇太郎昌山城宏大竹英雄石田芳夫淑子王銘琬張栩羽根直樹高尾紳路井山裕太一力遼芝野虎丸許家元本木克弥関航結城聡今村俊也彦坂直人依田紀基柳時薫蘇耀国河野臨三村智保溝上知親秋次久保健司真隆哲也誠浩司剛勝恵幸徳友康貴博之輔介斗翔蓮杉崎桜柴桑岩梅橘沢澤浅荒栗菊熊黒白赤緑鈴須菅菱萩葛蒲千葉堀堤塚境" +
		"棋戦第期局黒白番勝負先手後手中押半目初段二段三段四段五段六段七段八段九段十段名人本因坊碁聖天元王座棋聖日本棋院関西棋院囲碁対局挑戦手合リーグ決定予選最終能力表示連正樹"
	koreanSyllables = "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구나민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용" +
		"가각간감갑개거건검격경계곡관광교군규균근글급나난날남내년녕능다단달담당대덕돈동두드득들라락란래랑러런레려력련렬령례로록론롱료루룡륜률르름리린림립만말망매면목묘무문물미바발범법병보복본봉부북분불비빈사산삼상새생섭세손솔수숙순술숭스승시식실아애야약양언에역열영예온완요욱운웅월율음의익일자작잔재저적점접조존종좌죄죽준중증지직질집찬찰창철청체초총최추춘출충취치칠침카코쾌타태택토통투트특파판패평포품풍프피필학한할합항해행향혁형혜호홍화환활회효후훈휘흑희바둑대국흑백승불계집단급이세돌박정환이창호조훈현서봉수유창혁신진서강동윤김지석최철한원성진입니다습니다했습니까은는을를의에서와과하고도만요네서울부산"
)
