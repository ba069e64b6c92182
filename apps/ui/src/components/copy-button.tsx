import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import type { ButtonSize, ButtonVariant } from "./button-styles.ts";
import { copyText } from "./copy-text.ts";
import { useToast } from "./toast.tsx";

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly iconOnly?: boolean;
  readonly variant?: ButtonVariant;
  readonly size?: ButtonSize;
}

const SHOWN_MS = 2_000;

/** Button that copies text and confirms that the text was copied. */
export function CopyButton(props: CopyButtonProps) {
  const { label = "Copy", variant = "ghost", size = "sm" } = props;
  const [isCopied, setIsCopied] = useState(false);
  const toast = useToast();
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    copyText(props.text).then(
      () => setIsCopied(true),
      (error: unknown) => toast.failed(error, "Copying"),
    );
  };
  const Glyph = isCopied ? Check : Copy;
  const icon = <Glyph size={14} strokeWidth={1.5} aria-hidden />;
  return (
    <>
      {props.iconOnly ? (
        <IconButton label={label} variant={variant} size={size} icon={icon} onClick={copy} />
      ) : (
        <Button variant={variant} size={size} icon={icon} onClick={copy}>
          {isCopied ? "Copied" : label}
        </Button>
      )}
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}
