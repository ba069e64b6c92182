import { describeError } from "./describe-error.ts";

/** What went wrong, how to fix it, and a link to the page about the error. */
export function ErrorText({ error }: { readonly error: unknown }) {
  const { message, docUrl } = describeError(error);
  return (
    <>
      {message}
      {docUrl === null ? null : (
        <>
          {" "}
          <a href={docUrl} rel="noreferrer" target="_blank" className="text-accent underline">
            About this error
          </a>
        </>
      )}
    </>
  );
}
