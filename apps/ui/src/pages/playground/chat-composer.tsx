import type { CostQuote } from "@tollgate/sdk/gateway";
import { ImagePlus, X } from "lucide-react";
import { useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { Kbd } from "../../components/kbd.tsx";
import { useToast } from "../../components/toast.tsx";
import { CostEstimate } from "./cost-estimate.tsx";
import { readImage } from "./read-image.ts";

export interface Question {
  readonly text: string;
  readonly images: readonly string[];
}

interface ChatComposerProps {
  readonly question: Question;
  readonly onQuestion: (question: Question) => void;
  readonly columns: number;
  readonly quotes: readonly (CostQuote | null)[];
  /** Mean cost of recent requests, one per column; null without any. */
  readonly typical: readonly (bigint | null)[];
  /** Reason why sending is disabled. */
  readonly heldBecause: string | null;
  /** Reason why images can't be attached. */
  readonly noImagesBecause: string | null;
  readonly onSend: () => void;
}

const MAX_IMAGES = 8;

/** Message input that shows the maximum cost before sending. */
export function ChatComposer(props: ChatComposerProps) {
  const { question, onQuestion, columns, quotes } = props;
  const files = useRef<HTMLInputElement>(null);
  const toast = useToast();
  const held = props.heldBecause ?? (question.text.trim() === "" ? "Enter a message" : null);
  const send = () => held === null && props.onSend();
  const add = async (chosen: FileList | null) => {
    try {
      const added = await Promise.all([...(chosen ?? [])].map(readImage));
      onQuestion({ ...question, images: [...question.images, ...added].slice(0, MAX_IMAGES) });
    } catch (error) {
      toast.failed(error, "Adding the image");
    }
  };
  return (
    <form
      className="grid gap-2 rounded-panel border border-border bg-surface p-3 focus-within:border-accent focus-within:ring focus-within:ring-accent"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        aria-label="Message"
        rows={2}
        value={question.text}
        placeholder="Send a message"
        onChange={(event) => onQuestion({ ...question, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          send();
        }}
        className="max-h-[30vh] min-h-12 w-full resize-none bg-transparent px-1 text-body outline-none field-sizing-content placeholder:text-faint pointer-coarse:text-[16px]"
      />
      <Attachments images={question.images} onImages={(images) => onQuestion({ ...question, images })} />
      <div className="flex flex-wrap items-center gap-2">
        <input
          ref={files}
          type="file"
          accept="image/png,image/jpeg,image/gif,image/webp"
          multiple
          hidden
          onChange={(event) => {
            void add(event.currentTarget.files);
            event.currentTarget.value = "";
          }}
        />
        <Button
          variant="ghost"
          icon={<ImagePlus size={16} strokeWidth={1.5} />}
          disabledReason={props.noImagesBecause}
          onClick={() => files.current?.click()}
        >
          Image
        </Button>
        <span role="status" className="ml-auto text-meta text-muted">
          <CostEstimate quotes={quotes} typical={props.typical} />
        </span>
        <Button type="submit" variant="primary" disabledReason={held}>
          {columns === 1 ? "Send" : columns === 2 ? "Send to both" : `Send to all ${columns}`}
          <span className="opacity-80 max-sm:hidden">
            <Kbd>Ctrl ⏎</Kbd>
          </span>
        </Button>
      </div>
    </form>
  );
}

function Attachments(props: {
  readonly images: readonly string[];
  readonly onImages: (images: readonly string[]) => void;
}) {
  const { images } = props;
  if (images.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2">
      {images.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same image can be attached twice.
        <li key={index} className="relative">
          <img src={url} alt={`Attachment ${index + 1}`} className="h-16 rounded-[4px] border border-border" />
          <span className="absolute -top-2 -right-2 rounded-full bg-surface">
            <IconButton
              label={`Remove attachment ${index + 1}`}
              size="sm"
              icon={<X size={12} />}
              onClick={() => props.onImages(images.filter((_, other) => other !== index))}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}
