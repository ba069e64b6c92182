// Styles shared by several controls. Dimensions follow the reference sheet.

export const FOCUS = "focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-accent";

/** Styles of text inputs and selects: 34 px high, 44 px on small screens. */
export const INPUT =
  "w-full min-w-0 h-[34px] max-sm:h-11 px-[10px] rounded-control border border-outline bg-surface text-body text-text " +
  // Some phones zoom into inputs with text smaller than 16 px.
  "pointer-coarse:text-[16px] " +
  "placeholder:text-faint focus-visible:border-accent focus-visible:outline-2 " +
  "focus-visible:outline-offset-1 focus-visible:outline-accent aria-invalid:border-danger " +
  "aria-invalid:focus-visible:outline-danger disabled:bg-sunken disabled:text-faint disabled:cursor-not-allowed";

export const POPUP =
  "bg-raised border border-border rounded-control shadow-float text-table text-text outline-none " +
  "max-w-[var(--available-width)] motion-safe:transition-opacity motion-safe:duration-[120ms] " +
  "data-[starting-style]:opacity-0 data-[ending-style]:opacity-0";

export const POPUP_LIST =
  "p-1 overflow-y-auto overscroll-contain max-h-[min(320px,var(--available-height))] outline-none";

export const POPUP_ITEM =
  "flex items-center gap-2 min-h-[30px] max-sm:min-h-11 px-2 rounded-[4px] cursor-default select-none outline-none " +
  "data-[highlighted]:bg-hover data-[disabled]:text-faint";

/** Styles of the search field above a list of options. */
export const POPUP_SEARCH =
  "w-full h-[34px] max-sm:h-11 px-3 bg-transparent border-b border-hairline text-table text-text " +
  "placeholder:text-faint outline-none";
