import { type ReactNode, useState } from "react";
import { classes } from "./classes.ts";
import { CopyButton } from "./copy-button.tsx";
import { highlight } from "./highlight.ts";

interface CodeBlockProps {
  readonly tabs: readonly { readonly label: string; readonly code: string }[];
  readonly note?: ReactNode;
}

/** Code to copy, in one or more languages. */
export function CodeBlock(props: CodeBlockProps) {
  const [chosen, setChosen] = useState(0);
  const shown = props.tabs[chosen] ?? props.tabs[0];
  if (shown === undefined) return null;
  return (
    <div className="border border-border rounded-control bg-sunken overflow-hidden min-w-0">
      <div className="flex items-center gap-[14px] pl-3 pr-2 min-h-[34px] border-b border-border">
        {props.tabs.length === 1 ? (
          <span className="text-meta font-medium text-muted">{shown.label}</span>
        ) : (
          // The strip overlaps the border, not its buttons: a button that overflows the strip would give it a vertical
          // scrollbar.
          <div className="-mb-px flex gap-[14px] overflow-x-auto overflow-y-hidden [scrollbar-width:none]">
            {props.tabs.map(({ label }, index) => (
              <button
                key={label}
                type="button"
                aria-pressed={index === chosen}
                onClick={() => setChosen(index)}
                className={classes(
                  "h-[34px] max-sm:h-11 shrink-0 border-b-2 text-meta font-medium focus-visible:-outline-offset-2",
                  index === chosen ? "border-accent text-text" : "border-transparent text-muted hover:text-text",
                )}
              >
                {label}
              </button>
            ))}
          </div>
        )}
        <span className="ml-auto">
          <CopyButton text={shown.code} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, also by keyboard. */}
      <pre tabIndex={0} className="p-3 overflow-x-auto font-mono text-[12.5px]/5 focus-visible:-outline-offset-2">
        <code>
          {highlight(shown.code).map((token) => (
            <span key={token.at} className={COLORS[token.kind]}>
              {token.text}
            </span>
          ))}
        </code>
      </pre>
      {props.note ? <div className="px-3 py-2 border-t border-border text-meta text-muted">{props.note}</div> : null}
    </div>
  );
}

const COLORS = { plain: undefined, string: "text-success", keyword: "text-info", comment: "text-faint" };
