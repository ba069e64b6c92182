import { CodeBlock } from "./code-block.tsx";

/** Renders model output with code blocks and bold text. Everything else is plain text, never markup. */
export function AnswerText({ text }: { readonly text: string }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 text-body wrap-anywhere">
      {splitFences(text).map((part) =>
        part.kind === "code" ? (
          <CodeBlock key={part.at} tabs={[{ label: part.language || "Code", code: part.text }]} />
        ) : (
          <p key={part.at} className="whitespace-pre-wrap">
            {part.text.split(/(\*\*[^*\n]+\*\*)/).map((piece, index) =>
              piece.startsWith("**") && piece.endsWith("**") && piece.length > 4 ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces of text never change order.
                <strong key={index} className="font-semibold">
                  {piece.slice(2, -2)}
                </strong>
              ) : (
                piece
              ),
            )}
          </p>
        ),
      )}
    </div>
  );
}

interface Part {
  readonly kind: "text" | "code";
  readonly at: number;
  readonly language: string;
  readonly text: string;
}

/** Splits text at code fences. After an unclosed fence, as in a stream, all text is code. */
export function splitFences(text: string): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(/^```([\w+#.-]*)[^\n]*\n([\s\S]*?)(?:^```[^\n]*$|(?![\s\S]))/gm)) {
    const before = text.slice(end, match.index).trim();
    if (before !== "") parts.push({ kind: "text", at: end, language: "", text: before });
    parts.push({ kind: "code", at: match.index, language: match[1] ?? "", text: (match[2] ?? "").trimEnd() });
    end = match.index + match[0].length;
  }
  const rest = text.slice(end).trim();
  if (rest !== "") parts.push({ kind: "text", at: end, language: "", text: rest });
  return parts;
}
