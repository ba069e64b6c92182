/** Keyboard key, hidden from screen readers. */
export function Kbd(props: { readonly children: string }) {
  return (
    <kbd
      aria-hidden
      className={
        "min-w-[18px] px-[5px] text-center font-sans text-[11px]/4 font-medium text-muted border border-border bg-sunken " +
        "rounded-[4px] whitespace-nowrap"
      }
    >
      {props.children}
    </kbd>
  );
}
