import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { buttonClass } from "./button-styles.ts";

/**
 * Button that closes its layer. It has no tooltip, because a tooltip would handle the first Escape key press instead of
 * the layer.
 */
export function CloseCross() {
  return (
    <Dialog.Close aria-label="Close" className={buttonClass("ghost", "md", true)}>
      <X size={16} strokeWidth={1.5} aria-hidden />
    </Dialog.Close>
  );
}
