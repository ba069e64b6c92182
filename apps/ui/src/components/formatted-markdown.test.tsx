import { render, screen, within } from "@testing-library/react";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FormattedMarkdown } from "./formatted-markdown.tsx";

const renderText = (text: string) => render(<FormattedMarkdown text={text} />).container;
const htmlOf = (text: string) => {
  const { container, unmount } = render(<FormattedMarkdown text={text} />);
  const html = container.innerHTML;
  unmount();
  return html;
};

/** Number of levels of elements below `root`. */
function depthOf(root: Element): number {
  let depth = 0;
  for (let level = [...root.children]; level.length > 0; level = level.flatMap(({ children }) => [...children])) {
    depth += 1;
  }
  return depth;
}

test("renders emphasis, strikethrough, and inline code", () => {
  const page = renderText("**bold** *soft* ***both*** ~~gone~~ `a **b** <c>` \\*plain\\* snake_case_name");
  expect([...page.querySelectorAll("strong")].map(({ textContent }) => textContent)).toEqual(["bold", "both"]);
  expect([...page.querySelectorAll("em")].map(({ textContent }) => textContent)).toEqual(["soft", "both"]);
  expect(page.querySelector("s")?.textContent).toBe("gone");
  expect(page.querySelector("code")?.textContent).toBe("a **b** <c>");
  expect(page.textContent).toContain("*plain* snake_case_name");
});

test("keeps line breaks inside a paragraph, and separates paragraphs", () => {
  const page = renderText("one\ntwo\n\nthree");
  expect([...page.querySelectorAll("p")].map(({ innerHTML }) => innerHTML)).toEqual(["one<br>two", "three"]);
});

test("starts headings below those of the page", () => {
  renderText("# One\n\n## Two\n\n### Three\n\n#### Four\n\n###### Six\n\nSetext\n---");
  const headings = screen.getAllByRole("heading").map(({ tagName, textContent }) => `${tagName} ${textContent}`);
  expect(headings).toEqual(["H3 One", "H4 Two", "H5 Three", "H6 Four", "H6 Six", "H4 Setext"]);
});

test("nests lists and numbers them from their first number", () => {
  const page = renderText("- a\n  - b\n    1. c\n    2. d\n- e\n\n7. seven\n8. eight");
  expect(page.querySelector("ul > li > ul > li > ol > li:last-child")?.textContent).toBe("d");
  expect(page.querySelector("ul > li > p")).toBeNull();
  expect([...page.querySelectorAll("ol")].map((list) => list.start)).toEqual([1, 7]);
  expect(renderText("- a\n\n- b").querySelectorAll("li > p")).toHaveLength(2);
});

test("shows task items as checkboxes that can't be changed", () => {
  renderText("- [x] done\n- [ ] open **item**\n- [y] text\n- [x]\n\n[x] no list");
  const boxes = screen.getAllByRole<HTMLInputElement>("checkbox");
  expect(boxes.map((box) => [box.checked, box.disabled, box.getAttribute("aria-label")])).toEqual([
    [true, true, "Done"],
    [false, true, "Not done"],
  ]);
  const items = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(items).toEqual(["done", "open item", "[y] text", "[x]"]);
  screen.getByText("[x] no list");
});

test("renders tables with column alignment", () => {
  renderText("| Name | Cost |\n|:-----|-----:|\n| `a` | **1** |\n| b \\| c | |");
  const [head, first, second] = screen.getAllByRole("row");
  const cellsOf = (row: HTMLElement | undefined, role: string) =>
    within(row as HTMLElement)
      .getAllByRole(role)
      .map(({ textContent }) => textContent);
  expect(cellsOf(head, "columnheader")).toEqual(["Name", "Cost"]);
  expect(cellsOf(first, "cell")).toEqual(["a", "1"]);
  expect(cellsOf(second, "cell")).toEqual(["b | c", ""]);
  expect(screen.getByRole("columnheader", { name: "Cost" }).className).toContain("text-right");
});

test("shows code with its language, even if the code fence is still open", () => {
  const page = renderText('Look:\n```ts title="a.ts"\nlet a = "**b**";\n\n```\n\n    indented\n\n~~~\nhalf <b>');
  expect([...page.querySelectorAll("pre")].map(({ textContent }) => textContent)).toEqual([
    'let a = "**b**";',
    "indented",
    "half <b>",
  ]);
  screen.getByText("ts");
  expect(screen.getAllByText("Code")).toHaveLength(2);
});

test("renders quotes and rules", () => {
  const page = renderText("> said\n> > before\n\n---\n\nend");
  expect(page.querySelector("blockquote > blockquote")?.textContent).toBe("before");
  screen.getByRole("separator");
});

test("opens links in a new tab that doesn't know this page", () => {
  renderText(
    '[site](https://a.example/x?y=1&z "Title") <https://b.example> https://c.example/d. <me@d.example> [mail](mailto:a@b.example) [ref]\n\n[ref]: http://r.example',
  );
  const links = screen.getAllByRole<HTMLAnchorElement>("link");
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["site", "https://a.example/x?y=1&z"],
    ["https://b.example", "https://b.example"],
    ["https://c.example/d", "https://c.example/d"],
    ["me@d.example", "mailto:me@d.example"],
    ["mail", "mailto:a@b.example"],
    ["ref", "http://r.example"],
  ]);
  for (const { rel, target } of links) expect([rel, target]).toEqual(["noopener noreferrer", "_blank"]);
});

test("links to images instead of loading them", () => {
  const page = renderText(
    "![cat](https://a.example/c.png) ![](https://a.example/d.png) [![in](https://b.example/e.png)](https://c.example)",
  );
  expect(page.querySelector("img, image")).toBeNull();
  const links = screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
  expect(links).toEqual([
    ["cat", "https://a.example/c.png"],
    ["Image", "https://a.example/d.png"],
    ["in", "https://c.example"],
  ]);
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "text <b onclick=alert(1)>b</b> text",
  "<!-- comment -->",
  "<svg/onload=alert(1)>",
  "<a href='javascript:alert(1)'>x</a>",
  "<iframe srcdoc='<script>alert(1)</script>'>",
])("shows HTML as text: %s", (html) => {
  const page = renderText(html);
  expect(page.textContent).toBe(html);
  expect(page.querySelector("p")?.children).toHaveLength(0);
});

test("shows HTML entities as characters", () => {
  const page = renderText("&lt;script&gt;alert(1)&lt;/script&gt; &#60;img src=x onerror=alert(1)&#62; &copy;");
  expect(page.textContent).toBe("<script>alert(1)</script> <img src=x onerror=alert(1)> ©");
  expect(page.querySelector("script, img")).toBeNull();
});

test.each([
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](&#x6A;avascript&colon;alert(1))",
  "[x](java&Tab;script:alert(1))",
  "[x](java%0ascript:alert(1))",
  "[x](<java\tscript:alert(1)>)",
  "[x](\u0001javascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](data:image/png;base64,AAAA)",
  "[x](vbscript:msgbox(1))",
  "[x](file:///etc/passwd)",
  "[x](blob:1)",
  "[x](//evil.example)",
  "[x](/ui/keys)",
  "[x](#top)",
  "[x](?tab=keys)",
  "[x]()",
  "[x](<>)",
  "[x](https:evil)",
  "[x](http://)",
  "[x][r]\n\n[r]: javascript:alert(1)",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
  "<javascript:alert(1)>",
  "<data:text/html,x>",
  "javascript:alert(1)",
  "ftp://a.example/x",
  "www.a.example main.rs a.example",
])("doesn't link %s", (text) => {
  const page = renderText(text);
  expect(page.querySelector("a, img")).toBeNull();
  expect(page.textContent).not.toBe("");
});

test.each([
  ["quotes", ">".repeat(10_000)],
  ["spaced quotes", "> ".repeat(10_000)],
  ["lists", "- ".repeat(10_000)],
  ["ordered lists", "1. ".repeat(10_000)],
  ["quotes in lists", "> - ".repeat(5_000)],
  ["emphasis", "*a **b ".repeat(5_000)],
  ["brackets", "[".repeat(10_000)],
  ["images", "![".repeat(10_000)],
  ["links", "[a](".repeat(10_000)],
])("shows the whole text of 10,000 nested %s", (_, text) => {
  const page = renderText(`${text}the end`);
  expect(page.textContent).toContain("the end");
});

test.each([
  ["*", "*a ", "a* "],
  ["_", "_a ", "a_ "],
  ["**", "**a ", "a** "],
  ["~~", "~~a ", "a~~ "],
  ["mixed", "*a **b _c ~~d ", "d~~ c_ b** a* "],
  ["linked", "*[a ", "](http://b.example)* "],
])("shows the source of emphasis that is nested too deeply: %s", (_, opening, closing) => {
  const nest = (levels: number) => `${opening.repeat(levels)}middle ${closing.repeat(levels)}end`;
  const page = renderText(`before\n\n${nest(1_000)}\n\n**after**`);
  const [before, nested, after] = page.querySelectorAll("p");
  expect(depthOf(page)).toBeLessThan(10);
  expect(before?.textContent).toBe("before");
  expect(nested?.textContent).toBe(nest(1_000));
  expect(after?.querySelector("strong")?.textContent).toBe("after");

  const largePage = renderText(nest(8_000));
  expect(depthOf(largePage)).toBeLessThan(10);
  expect(largePage.textContent).toBe(nest(8_000));
});

test("formats 40 levels of emphasis, and shows the source of 41 with its line breaks", () => {
  const nest = (levels: number) => `${"*a ".repeat(levels)}\n${"a* ".repeat(levels)}end`;
  const formatted = renderText(nest(40));
  expect(formatted.querySelectorAll("em")).toHaveLength(40);
  expect(formatted.textContent).not.toContain("*");
  const source = renderText(nest(41));
  expect(source.querySelector("em")).toBeNull();
  expect(source.textContent?.split("\n").map((line) => line.trim())).toEqual(
    nest(41)
      .split("\n")
      .map((line) => line.trim()),
  );
});

test("limits the depth of emphasis in nested blocks", () => {
  const emphasis = `${"*a ".repeat(1_000)}${"a* ".repeat(1_000)}end`;
  const page = renderText(`${"> ".repeat(30)}- # ${emphasis}\n\n| ${emphasis} |\n|---|\n| ${emphasis} |`);
  expect(page.querySelector("h3")?.textContent).toBe(emphasis);
  expect(page.querySelector("th")?.textContent).toBe(emphasis);
  expect(page.querySelector("td")?.textContent).toBe(emphasis);
  expect(depthOf(page)).toBeLessThan(50);
});

test("shows text of one megabyte, formatting its start", () => {
  const paragraph = `${"word ".repeat(2_000)}**bold**\n\n`;
  const page = renderText(`${paragraph.repeat(100)}the **end**`);
  expect(page.querySelectorAll("strong").length).toBeGreaterThan(20);
  expect(page.textContent?.endsWith("the **end**")).toBe(true);
  expect(page.textContent?.split("word")).toHaveLength(200_001);
});

test.each([
  ["code fences", "```\n```\n"],
  ["highlighted code", `\`\`\`\n${"if ".repeat(10_000)}\n\`\`\`\n`],
  ["wide tables", `${"|a".repeat(500)}|\n${"|-".repeat(500)}|\n${"|\n".repeat(50)}\n`],
  ["wide tables in quotes", `${`> ${"|a".repeat(500)}|\n> ${"|-".repeat(500)}|\n${"> |\n".repeat(50)}`}>\n`],
  ["small tables", "|a|\n|-|\n|b|\n\n"],
  ["one table", "|a|b\n", "|a|b|\n|-|-|\n"],
  ["headings", "#\n"],
  ["nested quotes", `${"> ".repeat(30)}a\n\n`],
  ["list items", "-\n"],
  ["numbered items", "1.\n"],
  ["tasks", "- [x] a\n"],
  ["loose tasks", "- [x] a\n\n"],
  ["lines", "a\n"],
  ["emphasis", "*a* "],
  ["strong emphasis", "**a**"],
  ["strikethrough", "~~a~~ "],
  ["inline code", "`a`"],
  ["links", "[a](http://b)"],
  ["references", "[a]", "[a]: http://b\n\n"],
  ["images", "![](http://b)"],
  ["images in links", "[![](http://b)](http://b) "],
  ["autolinks", "<http://a>"],
  ["email autolinks", "<a@b.c>"],
  ["bare links", "http://a.b "],
  ["bare email links", "MAILTO:a@b.cd "],
])("limits the number of elements for 250,000 characters of %s", (_, piece, start = "") => {
  const text = start + piece.repeat(Math.floor((250_000 - start.length) / piece.length));
  const page = renderText(`**first**\n\n${text}\n\nthe **end**`);
  expect(page.querySelectorAll("*").length).toBeLessThanOrEqual(10_002);
  expect(page.querySelector("strong")?.textContent).toBe("first");
  expect(page.textContent?.endsWith("the **end**")).toBe(true);
});

test("shows the text as plain from the first block that exceeds the limit", () => {
  const list = (label: string) => `${`- **${label}**\n`.repeat(1_000)}\n`;
  const table = `| *a* |\n|---|\n${"| b |\n".repeat(5_000)}\n`;
  const end = "```\ncode\n```\n\nthe **end**";
  const page = renderText(`${list("one")}${table}${end}`);
  expect(page.querySelectorAll("li > strong")).toHaveLength(1_000);
  expect(page.querySelector("table, pre")).toBeNull();
  expect(page.querySelector("p:last-child")?.textContent).toBe(`${table}${end}`);
});

test("formats a long response with a table of 500 rows and code of 2,000 lines", () => {
  const table = `| a | b | c | d |\n|---|---|---|---|\n${"| 1 | **2** | `3` | 4 |\n".repeat(500)}\n`;
  const code = `\`\`\`ts\n${'const a = "b";\n'.repeat(2_000)}\`\`\`\n\n`;
  const page = renderText(`${table}${code}${"Some *prose* with `code`.\n\n".repeat(500)}the **end**`);
  expect(page.querySelectorAll("tr")).toHaveLength(501);
  expect(page.querySelector("pre")?.textContent?.split("\n")).toHaveLength(2_000);
  expect(page.querySelector("p:last-child > strong")?.textContent).toBe("end");
});

// Each of these pieces can change the meaning of the text before it, and a block that was not rendered again would be wrong.
const pieces = [
  ...[
    "a",
    "b ",
    "\n",
    "\n\n",
    "\r\n",
    "- ",
    "* ",
    "1. ",
    "> ",
    "***",
    "---",
    "===",
    "#",
    "# ",
    "```",
    "```\n",
    "    ",
    "\t",
  ],
  ...["[r]", "[r]: https://a.example\n", "[x](https://b.example)", "**", "_", "`", "~~", "- [ ] ", "\\", "&lt;", "<b>"],
  ...["| a | b |\n", "|---|---|\n", "|"],
];

test("shows a text that grows exactly as if it had arrived in one piece", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 2, maxLength: 12 }), (parts) => {
      const { container, rerender, unmount } = render(<FormattedMarkdown text="" />);
      let text = "";
      for (const part of parts) {
        text += part;
        rerender(<FormattedMarkdown text={text} />);
      }
      const html = container.innerHTML;
      unmount();
      expect(html).toBe(htmlOf(text));
    }),
    { numRuns: 100 },
  );
});
