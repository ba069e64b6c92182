import { X } from "lucide-react";
import { Button } from "./button.tsx";

interface NoMatchesProps {
  /** Plural noun for the rows: "requests", "keys". */
  readonly what?: string;
  readonly filters: readonly { readonly label: string; readonly onRemove: () => void }[];
  readonly onClear: () => void;
}

/** Empty state of a filtered list. Each filter can be removed. */
export function NoMatches(props: NoMatchesProps) {
  return (
    <div className="grid justify-items-start gap-3 px-6 py-8 max-sm:px-4">
      <h2 className="text-section font-semibold">No matching {props.what ?? "rows"}</h2>
      <ul className="flex flex-wrap gap-[6px]" aria-label="Active filters">
        {props.filters.map(({ label, onRemove }) => (
          <li key={label}>
            <Button
              size="sm"
              icon={<X size={14} strokeWidth={1.5} aria-hidden />}
              aria-label={`Remove ${label}`}
              onClick={onRemove}
            >
              {label}
            </Button>
          </li>
        ))}
      </ul>
      <Button onClick={props.onClear}>Clear all</Button>
    </div>
  );
}
