import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { buttonClass } from "./button-styles.ts";

/** Closes its layer. It has no tooltip, because a tooltip would handle the first Escape instead of the layer. */
export function CloseCross() {
  return (
    <Dialog.Close aria-label="Close" className={buttonClass("ghost", "md", true)}>
      <X size={16} strokeWidth={1.5} aria-hidden />
    </Dialog.Close>
  );
}
