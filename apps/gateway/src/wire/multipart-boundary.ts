import { Failure } from "@tollgate/contracts/failures.ts";

const FORM_TYPE = /^multipart\/form-data[ \t]*(;.*)$/i;
const PARAMETER = /^;[ \t]*([0-9A-Za-z-]+)=(?:"([^"\\]*)"|([^\s";]+))[ \t]*/;
/** Matches a valid boundary. A space is allowed except at the end. */
const BOUNDARY = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;

/** Returns the boundary of a form. Throws a Failure for any other media type. */
export function boundaryOf(contentType: string | null): string {
  const match = FORM_TYPE.exec(contentType ?? "");
  if (match === null) throw new Failure("unsupported_media_type", "Send the body as multipart/form-data.");
  let boundary: string | null = null;
  let rest = match[1] as string;
  while (rest !== "") {
    const parameter = PARAMETER.exec(rest);
    if (parameter === null) throw noBoundary();
    if ((parameter[1] as string).toLowerCase() === "boundary") {
      if (boundary !== null) throw noBoundary();
      boundary = parameter[2] ?? (parameter[3] as string);
    }
    rest = rest.slice(parameter[0].length);
  }
  if (boundary === null || !BOUNDARY.test(boundary)) throw noBoundary();
  return boundary;
}

function noBoundary(): Failure {
  return new Failure("invalid_request", "The multipart content type has no valid boundary.");
}
