import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";

interface FoldedSectionProps {
  readonly title: string;
  /** One-line summary of the current values, visible while collapsed. */
  readonly summary: ReactNode;
  /** True if the section opens by itself, such as for an error inside. Only the user closes it. */
  readonly opensItself: boolean;
  readonly children: ReactNode;
}

/** Form section that most users leave unchanged. */
export function FoldedSection(props: FoldedSectionProps) {
  const { opensItself } = props;
  const [isOpen, setIsOpen] = useState(opensItself);
  const [openedItself, setOpenedItself] = useState(opensItself);
  if (opensItself !== openedItself) {
    setOpenedItself(opensItself);
    if (opensItself) setIsOpen(true);
  }
  return (
    <details
      className="group border-t border-border last:border-b"
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary className="-mx-1 flex cursor-pointer list-none items-center gap-2 rounded-control px-1 py-3 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={16}
          strokeWidth={1.5}
          aria-hidden
          className="flex-none text-muted group-open:rotate-90 motion-safe:transition-transform motion-safe:duration-[120ms]"
        />
        <span className="min-w-0">
          <span className="block text-table font-medium">{props.title}</span>
          <span className="block text-meta text-muted wrap-anywhere">{props.summary}</span>
        </span>
      </summary>
      <div className="pt-1 pb-4 pl-6">{props.children}</div>
    </details>
  );
}
