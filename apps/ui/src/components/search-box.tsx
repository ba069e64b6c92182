import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { SEARCH_EVENT } from "../shell/shortcuts.ts";
import { Kbd } from "./kbd.tsx";

export interface SearchBoxProps {
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Debounce delay, so that typing a word causes one URL change and one request. */
const SETTLE_MS = 300;

/** Search field. The slash key focuses it. */
export function SearchBox(props: SearchBoxProps) {
  const { value, onChange } = props;
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The value changed elsewhere, for example through the back button, so the typed text is outdated.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    const focus = () => input.current?.focus();
    document.addEventListener(SEARCH_EVENT, focus);
    return () => document.removeEventListener(SEARCH_EVENT, focus);
  }, []);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <label
      className={
        "flex items-center gap-2 w-[264px] max-sm:w-auto max-sm:grow min-w-0 h-[30px] max-sm:h-11 pl-[10px] pr-[6px] bg-surface " +
        "border border-outline-soft rounded-control text-table text-muted focus-within:border-accent " +
        "focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-1"
      }
    >
      <Search size={14} strokeWidth={1.5} className="flex-none" aria-hidden />
      <span className="sr-only">{props.placeholder}</span>
      <input
        ref={input}
        type="search"
        value={typed}
        placeholder={props.placeholder}
        maxLength={100}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChange(typed.trim());
          if (event.key !== "Escape") return;
          // Escape must only leave the search field, not also close the panel.
          event.stopPropagation();
          input.current?.blur();
        }}
        className="grow min-w-0 h-full bg-transparent text-text outline-none"
      />
      <span className="max-sm:hidden">
        <Kbd>/</Kbd>
      </span>
    </label>
  );
}
