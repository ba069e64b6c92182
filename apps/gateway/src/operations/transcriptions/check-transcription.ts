import { Failure } from "@tollgate/contracts/failures.ts";
import type { TranscriptionRequest } from "@tollgate/contracts/transcriptions/transcription-request.ts";

const formats = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];

/**
 * Checks transcription request rules that a schema can't express. Strings are bytes here, so compare them but never
 * display them.
 */
export function checkTranscription(request: TranscriptionRequest): void {
  const { filename } = request.file;
  const dot = filename.lastIndexOf(".");
  if (dot < 0 || !formats.includes(filename.slice(dot + 1).toLowerCase())) {
    throw new Failure("invalid_request", `The file name must end in one of ${formats.join(", ")}.`, {
      param: "file",
    });
  }
  if (request.file.bytes === 0) throw new Failure("invalid_request", "The file is empty.", { param: "file" });
  const { timestamp_granularities: granularities, response_format: format } = request;
  if (granularities != null && granularities.length > 0 && format !== "verbose_json") {
    throw new Failure("invalid_request", "'timestamp_granularities' requires 'response_format' to be verbose_json.", {
      param: "timestamp_granularities",
    });
  }
}
