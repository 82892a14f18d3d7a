// Prints the table web-addresses.json: texts, bases, and the URLs that the WHATWG URL parser of Node makes of them.
//   node Tests/Support/web-addresses.js > Tests/Support/web-addresses.json
// Each row is [text, base or null, result or null]. The table was made with Node 24.19.0. A text whose result depends on
// the version of Unicode does not belong into the table, nor do the few texts in which Node differs from the standard.
"use strict";
const rows = [];
const seen = new Set();
function add(text, base = null) {
  const key = JSON.stringify([text, base]);
  if (seen.has(key)) return;
  seen.add(key);
  let result = null;
  try { result = (base === null ? new URL(text) : new URL(text, base)).href; } catch {}
  rows.push([text, base, result]);
}

// Every printable character of ASCII, some control characters and other scripts, in every component.
const characters = [];
for (let code = 0x20; code < 0x80; code++) characters.push(String.fromCharCode(code));
characters.push("\0", "\x01", "\t", "\n", "\r", "\x1f", "é", "фото", "日本", "😀", "\u00a0", "\u200b", "%20", "%2F", "%e9",
  "%E9%A9", "%zz", "%", "%4", "%00", "%25");
for (const c of characters) {
  add(`http://h.example/a${c}b.png`);
  add(`http://h.example/?a${c}b`);
  add(`http://h.example/#a${c}b`);
  add(`http://u${c}v:p${c}q@h.example/`);
  add(`web+x://h.example/a${c}b?a${c}b`);
  add(`data:image/svg+xml,a${c}b`);
  if (!/[^\x00-\x7f]/.test(c)) add(`http://h${c}i.example/`);
  if (!/[^\x00-\x7f]/.test(c)) add(`web+x://h${c}i/`);
}

// Addresses as people have them.
for (const text of [
  "http://h/a%20[1].png", "http://h/?x[]=1&n=a%20b", "http://h/фото%201.png", "http://h/a b%20c|d.png", "https://h/{id}.jpg",
  "https://h/a.jpg?w=300&h=200&fit={crop}", "https://h/a^b`c.png", "http://h/a%2Fb/c d", "http://h/caf%E9.png",
  "http://h/caf%E9 1.png", "http://h/100%.png", "http://h/100%25 sure.png", "http://h/a+b c.png", "http://h/a?b c+d%20e",
  "http://h/a#b c", "http://h/a.png?x=\"y\"", "http://h/a.png?q='x'", "http://h/<script>", "  http://h/a.png  ", "\n\thttp://h/a.png\r\n",
  "http://h/a\n.png", "ht\ttp://h/a", "http:\\\\h\\a\\b.png", "http:/\\h/a", "https:h/a", "http:/h/a", "http:h", "http:///h/a", "http:////h/a",
  "HTTP://H.EXAMPLE/A", "http://h:80/", "https://h:443/", "https://h:80/", "http://h:/", "http://h:00080/", "http://h:65535/",
  "http://h:65536/", "http://h:8a/", "http://h:-1/", "http://h: 80/", "http://h:99999999999/", "http://:80/", "http://", "http:", "https://?a",
  "https://#a", "http://@/a", "http://u@/a", "http://u:p@/a", "http://a@b@c/", "http://a:b:c@d/", "http://:@h/", "http://u:@h/", "http://:p@h/",
  "http://h", "http://h?a", "http://h#a", "http://h/?", "http://h/#", "http://h/?#", "http://h/?a?b#c#d", "h/a.png", "//h/a.png", "/a.png", "",
  " ", "?a", "#a", "1http://h/", "a", ":", "a:", "a:b", "a:/b", "a://", "a:///", "a:////b", "a:/.//b", "a:/..//b", "a://h", "a://h?x", "a://h/..",
  "a://:80/", "a://u@/", "a:\\\\h\\b", "a://H.EXAMPLE/", "a://h:80/", "a://1.2.3/", "a:b/../c", "a:b?c d#e f", "a: b", "javascript:alert(1)",
  "mailto:a@b.example", "blob:http://h/a", "ws://h/a b", "wss://h:443/", "ftp://h:21/a", "ftp://h/a;type=i",
  "data:,", "data:text/plain,a b", "data:image/png;base64,iVBORw0KGgo=", "data:image/png;base64,iVBO Rw0K\nGgo=", "data:;base64,//79",
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><rect fill='%23f00' width='100%'/></svg>",
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'%3E%3C/svg%3E",
  "data:image/svg+xml;utf8,<svg fill=\"#f00\"/>", "data:image/svg+xml;charset=utf-8,<svg>?a=1</svg>", "DATA:image/png,a", "data:a,b/../c",
  "https://cdn.example/w_300,h_200/v1/a.jpg", "https://h/a;b=c,d/e(1)!*'.png", "https://h/~user/$x@2x.png", "https://h/a:b/c@d",
  "https://h/a=b&c=d", "https://h/%7Euser/%41", "https://h/a%c3%a9", "https://h/é%C3%A9", "https://h//a///b", "https://h/a/?x=/../y",
]) add(text);

// Dots in the path.
const parts = [".", "..", "%2e", "%2E", ".%2e", "%2e.", "%2e%2E", "...", "a", "", "..a", "%2e%2e%2e", ".%20", ".;x"];
for (const first of parts) {
  add(`http://h/${first}`);
  add(`http://h/${first}/`);
  add(`http://h/x/${first}/y`);
  add(`a:/x/${first}/y`);
  add(`a:/${first}`);
  add(`file:///x/${first}/y`);
  for (const second of ["..", ".", "b"]) add(`http://h/x\\${first}\\${second}`);
}

// Hosts: numbers, addresses in brackets, names of other scripts.
for (const host of [
  "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.1", "0177.0.0.1", "1.2.3.4.5", "256.1.1.1", "1.256.1.1",
  "1.2.3.256", "1.2.65536", "1.2.65535", "1.16777216", "1.16777215", "4294967296", "4294967295", "1..2.3", "1.2.3.", "0x", "0x.0x", "0xg", "08",
  "09.1.1.1", "a.1", "a.0x1", "a.0xg", "1.a", "1.2.3.a", "1.2.3.4a", "0", "00", "0.0.0.0", "00.0.0.1", "1e3", "1_0", "-1", "+1", "1.2.3.-4", "1.2.3.+4",
  "99999999999999999999", "1.99999999999999999999", "a.99999999999999999999", "256", "0300.168.0.257", "192.0x00A80001", "%31%32%37.0.0.1", "①②⑦.0.0.1",
  "127。0。0。1", "127．0．0．1", "[::1]", "[::]", "[1::]", "[::1:2]", "[1::2]", "[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]",
  "[1:2:3:4:5:6:7:8::]", "[1::2::3]", "[:1]", "[1:]", "[:::]", "[:]", "[]", "[1]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[::12345]", "[::g]", "[::00ff]",
  "[::FFFF]", "[0:0:1:0:0:0:1:0]", "[1:0:0:2:0:0:3:4]", "[0:1:0:1:0:1:0:1]", "[1:0:2:0:3:0:4:0]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::FFFF:7F00:1]",
  "[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:7:1.2.3.4]", "[1:2:3:4:5:1.2.3.4]", "[::1.2.3]", "[::1.2.3.4.5]", "[::1.2.3.256]", "[::1.2.3.04]", "[::1.2.3.]",
  "[::.1.2.3]", "[::1.2.3.4:5]", "[1.2.3.4]", "[::1", "::1", "[::1]a", "a[::1]", "[::1]:80", "[::1]:8080", "[::1]8080", "[ ::1]", "[::1%25]", "[::1%]",
  "Faß.example", "GÖ.example", "ｗｗｗ.example", "xn--g-1ga.example", "XN--G-1GA.example", "日本語.example", "a。example", "a\u00adb.example", "☃.example",
  "a\u200d.example", "a\u200bb.example", "１٢.example", "ａ／b", "ａ％41", "%EF%BD%81.example", "%C3%A4.example", "%ff.example", "%c3.example",
  "a%20b", "a%2fb", "a%00b", "a%41b", "%61", "a%", "a%4", "a%zz", "a_b.example", "a-.example", "-a.example", ".", "..", ".a", "a.", "a..b", "a..", "LOCALHOST", "localhost.",
  "a--b.example", "ab--c.example", "*.example", "a~b", "a!b", "a$b", "a&b", "a'b", "a(b)", "a,b", "a;b", "a=b", "a+b",
]) {
  add(`http://${host}/`);
  add(`https://u@${host}:8443/x`);
  if (!/[^\x00-\x7f]/.test(host)) add(`web+x://${host}/`);
  add(`file://${host}/x`);
}

// Files.
for (const text of [
  "file:", "file:/", "file://", "file:///", "file:////", "file:a", "file:/a", "file://a", "file:///a", "file:////a", "file://///a", "file:a/b", "file:?a", "file:#a",
  "file:/a?b#c", "file:///a b.png", "file:///a%20b.png", "file:///a%20[1].png", "file:///caf%E9.png", "file:///фото%201.png", "file://localhost/a", "file://LOCALHOST/a",
  "file://127.0.0.1/a", "file://h:80/a", "file://u@h/a", "file:\\\\a\\b", "file:\\a", "file:///a\\b", "file:///C:/a", "file:///C|/a", "file:C:/a", "file:C|/a", "file:/C|/a",
  "file://C:/a", "file://C|/a", "file://C|", "file:///C:/..", "file:///C:/../..", "file:///C|/../a", "file:///CC:/..", "file:///1:/..", "file:///a/C|/b",
  "file:///C%7C/a", "file:..", "file:.", "file:///a/..", "file:///..", "file:///../a", "file:///a/./b", "file://h", "file://h?a", "file://a b/c", "FILE:///a",
]) {
  add(text);
  add(text, "file:///d/e?f#g");
  add(text, "file:///C:/d/e");
  add(text, "http://h.example/d/e");
}

// References, as in a Location field.
const bases = ["http://u:p@h.example:8080/d/e.png?f#g", "https://h.example", "file://s/d/e?f", "web+x://h/d/e?f", "web+x:/d/e", "data:a,b?c", "http://h/%20[x]/y%20z?[]"];
for (const base of bases) {
  for (const text of [
    "", "a", "a.png", "a b.png", "a%20[1].png", "фото%201.png", "caf%E9.png", "/a", "//a", "///a", "////a/b", "\\a", "\\\\a\\b", "/\\a", ".", "./", "..", "../", "../..", "../../../a",
    "./a/../b", "%2e%2E/a", "?", "?a", "?a b[]", "#", "#a", "#a b", "a?b", "a:b", "a/b:c", "./a:b", "http:a", "http:/a", "http://a", "http:", "http:?a", "https:a", "https:/a",
    "https://a/b", "file:a", "web+x:a", "web+x:/a", "web+x://a", "data:c", "//a:81/b", "//u@a/b", "//", "//:80", "//[::1]/a", "/a/..//b", "/..", "/.//a", " a ", "\ta\n", "/a\t/b",
    "C|/a", "/C|/a", "C:", "//C:/a", ";a", "a;b=c", "@a", ":a", "*", "&a=b",
  ]) add(text, base);
  // Node reads these two as a fragment of a base without a hierarchy. The standard's parser fails.
  if (!base.startsWith("data:")) for (const text of ["?#", "a?b#c"]) add(text, base);
}

console.log("[\n" + rows.map((row) => JSON.stringify(row).replace(/[\u0080-\uffff]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"))).join(",\n") + "\n]");
