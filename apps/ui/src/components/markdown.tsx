import { lazy, Suspense } from "react";

interface MarkdownProps {
  readonly text: string;
}

// The parser is larger than most pages (42 KB gzipped), so it is loaded with the first text. If that fails, for example
// offline, the text stays plain.
const Formatted = lazy(() =>
  import("./formatted-markdown.tsx").then(
    ({ FormattedMarkdown }) => ({ default: FormattedMarkdown }),
    () => ({ default: Plain }),
  ),
);

/** Renders Markdown that others wrote, such as model output. Shows the plain text until the parser is loaded. */
export function Markdown({ text }: MarkdownProps) {
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Formatted text={text} />
    </Suspense>
  );
}

function Plain({ text }: MarkdownProps) {
  return <p className="text-body whitespace-pre-wrap wrap-anywhere">{text}</p>;
}
