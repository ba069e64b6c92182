import { act, render } from "@testing-library/react";
import { expect, test } from "vitest";
import { Markdown } from "./markdown.tsx";

test("shows plain text until the parser is loaded, and then formatted text", async () => {
  const { container } = render(<Markdown text="a **bold** <b>word</b>" />);
  expect(container.textContent).toBe("a **bold** <b>word</b>");
  await act(() => import("./formatted-markdown.tsx"));
  expect(container.querySelector("strong")?.textContent).toBe("bold");
  expect(container.textContent).toBe("a bold <b>word</b>");
});
