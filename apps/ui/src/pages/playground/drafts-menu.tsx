import { FolderOpen, X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Time } from "../../components/time.tsx";
import { useToast } from "../../components/toast.tsx";
import type { ChatState } from "./chat-state.ts";
import { deleteDraft, fromPlain, listDrafts, saveDraft } from "./drafts.ts";

interface DraftsMenuProps {
  readonly state: ChatState;
  readonly onLoad: (state: ChatState, name: string) => void;
  readonly onSaved: (name: string) => void;
}

/** Saved conversations, stored only in this browser. */
export function DraftsMenu({ state, onLoad, onSaved }: DraftsMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const [drafts, setDrafts] = useState(listDrafts);
  const [name, setName] = useState("");
  const toast = useToast();
  const save = () => {
    try {
      saveDraft(name.trim(), state, new Date());
      onSaved(name.trim());
      setDrafts(listDrafts());
      setOpen(false);
    } catch (error) {
      toast.failed(error, "Saving the draft");
    }
  };
  return (
    <>
      <Button
        icon={<FolderOpen size={14} strokeWidth={1.5} />}
        onClick={() => {
          setDrafts(listDrafts());
          setOpen(true);
        }}
      >
        Drafts
      </Button>
      <Dialog title="Drafts" note="Saved in this browser, without images." open={isOpen} onClose={() => setOpen(false)}>
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== "") save();
          }}
        >
          <div className="grow">
            <Field label="Draft name">
              <TextInput value={name} maxLength={80} onChange={(event) => setName(event.currentTarget.value)} />
            </Field>
          </div>
          <Button type="submit" variant="primary" disabledReason={name.trim() === "" ? "Enter a name" : null}>
            Save
          </Button>
        </form>
        {drafts.length > 0 && (
          <ul className="divide-y divide-hairline text-table">
            {drafts.map((draft) => (
              <li key={draft.name} className="flex items-center gap-2 py-1">
                <button
                  type="button"
                  className="min-w-0 grow truncate text-left font-medium hover:underline"
                  onClick={() => {
                    onLoad(fromPlain(draft.chat), draft.name);
                    setOpen(false);
                  }}
                >
                  {draft.name}
                </button>
                <span className="text-meta text-muted">
                  <Time at={draft.savedAt} />
                </span>
                <IconButton
                  label={`Delete ${draft.name}`}
                  size="sm"
                  icon={<X size={14} strokeWidth={1.5} />}
                  onClick={() => {
                    deleteDraft(draft.name);
                    setDrafts(listDrafts());
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Dialog>
    </>
  );
}
