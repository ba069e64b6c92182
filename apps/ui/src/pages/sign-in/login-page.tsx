import { Link } from "@tanstack/react-router";
import { ApiError } from "@tollgate/sdk/platform";
import { type FormEvent, useState } from "react";
import { client } from "../../api/client.ts";
import { useConfig } from "../../api/config.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { PasswordInput, TextInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { useSearchState } from "../../router-search.ts";
import { enterConsole } from "./enter-console.ts";
import { SignInFrame } from "./sign-in-frame.tsx";

/** Sign-in with email and password, and a one-time code if the account requires one. */
export function LoginPage() {
  const { signUp } = useConfig();
  const [{ next }] = useSearchState({ next: "" });
  const [failure, setFailure] = useState<unknown>(null);
  const [wantsCode, setWantsCode] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (name: string) => String(form.get(name) ?? "").trim();
    setBusy(true);
    setFailure(null);
    try {
      const totp = read("totp");
      await client.call("createCookieSession", {
        body: { email: read("email"), password: String(form.get("password")), ...(totp !== "" && { totp }) },
      });
      enterConsole(next);
    } catch (error) {
      const reason = error instanceof ApiError ? error.reason : null;
      if (reason === "TOTP_REQUIRED") setWantsCode(true);
      else setFailure(error);
      setBusy(false);
    }
  };
  return (
    <SignInFrame
      title="Sign in to Tollgate"
      beside={
        signUp ? (
          <>
            No account?{" "}
            <Link to="/signup" search={{ next }} className="text-accent underline">
              Create one
            </Link>
          </>
        ) : undefined
      }
    >
      <form onSubmit={(event) => void submit(event)} className="grid gap-4">
        {failure !== null && (
          <Notice tone="danger">
            <ErrorText error={failure} />
          </Notice>
        )}
        {wantsCode && failure === null && <Notice tone="info">Enter your six-digit one-time code.</Notice>}
        <Field label="Email">
          <TextInput name="email" type="email" autoComplete="username" required autoFocus />
        </Field>
        <div className="relative">
          <Field label="Password">
            <PasswordInput name="password" autoComplete="current-password" required />
          </Field>
          <Link to="/forgot-password" className="absolute top-0 right-0 text-meta text-accent hover:underline">
            Forgot password?
          </Link>
        </div>
        {wantsCode && (
          <Field label="One-time code">
            <TextInput name="totp" inputMode="numeric" autoComplete="one-time-code" required autoFocus />
          </Field>
        )}
        <Button variant="primary" size="lg" type="submit" busy={isBusy}>
          Sign in
        </Button>
      </form>
    </SignInFrame>
  );
}
