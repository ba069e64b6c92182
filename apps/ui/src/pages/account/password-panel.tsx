import { type FormEvent, useRef } from "react";
import { client } from "../../api/client.ts";
import { useMe } from "../../api/me.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { PasswordInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";

/** Panel that changes the password. All other sessions end, and the current session continues. */
export function PasswordPanel() {
  const { user } = useMe();
  const form = useRef<HTMLFormElement>(null);
  const update = useChange("updatePassword", {
    done: "Password changed. Your other sessions were signed out.",
    isQuiet: true,
    onDone: () => {
      const password = String(new FormData(form.current ?? undefined).get("next"));
      form.current?.reset();
      // The change replaced the session token, which is returned only to bearer clients. Request a new cookie.
      void client.call("createCookieSession", { body: { email: user?.email ?? "", password } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    update.mutate({
      body: { currentPassword: String(fields.get("current")), newPassword: String(fields.get("next")) },
    });
  };
  return (
    <Panel title="Password">
      <form ref={form} onSubmit={submit} className="grid gap-4">
        {update.error !== null && (
          <Notice tone="danger">
            <ErrorText error={update.error} />
          </Notice>
        )}
        <input type="hidden" autoComplete="username" value={user?.email ?? ""} readOnly />
        <Field label="Current password">
          <PasswordInput name="current" autoComplete="current-password" required />
        </Field>
        <Field label="New password">
          <PasswordInput name="next" autoComplete="new-password" required />
        </Field>
        <Button type="submit" className="justify-self-start" busy={update.isPending}>
          Change password
        </Button>
      </form>
    </Panel>
  );
}
