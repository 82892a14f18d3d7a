import Foundation
import WebImageCore

/// The script of the start page. Without it, the page shows the result as a plain picture.
enum StartPageScript {
    /// The SHA-256 of the text in base64, as a `Content-Security-Policy` names a script.
    static let hash: String = {
        let words = Data(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
        return Data(words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } })
            .base64EncodedString()
    }()

    /// It fetches the target, so that it can show the type, the bytes and the reason of a failure, which an `<img>` does
    /// not have. The `Accept` is that of pictures in today's browsers.
    static let text = """
        (async () => {
          const options = document.querySelector("input[name=options]");
          for (const button of document.querySelectorAll("button.option")) {
            if (!options) break;
            button.disabled = false;
            button.addEventListener("click", () => {
              const preset = !button.value.includes(":");
              const glue = options.value && !options.value.endsWith("/") ? (preset ? ":" : "/") : "";
              options.value += glue + button.value;
              options.focus();
            });
          }
          const figure = document.querySelector("figure[data-target]");
          if (!figure) return;
          const target = figure.dataset.target, facts = figure.querySelector(".facts");
          const copy = figure.querySelector(".copy");
          copy.hidden = !navigator.clipboard;
          copy.addEventListener("click", async () => {
            await navigator.clipboard.writeText(new URL(target, location.href).href);
            copy.textContent = "Copied";
          });
          const fail = (text) => {
            facts.textContent = text;
            facts.className = "facts failure";
          };
          facts.textContent = "Loading…";
          const start = performance.now();
          let answer, body;
          try {
            answer = await fetch(target, { headers: { Accept: "image/avif,image/webp,image/*;q=0.8,*/*;q=0.5" } });
            body = await answer.blob();
          } catch (error) {
            return fail("The service does not answer: " + error.message);
          }
          const time = Math.round(performance.now() - start);
          if (!answer.ok) {
            const text = await body.text();
            let reason = text.trim();
            try { reason = JSON.parse(text).message || reason; } catch { }
            return fail(answer.status + ": " + reason);
          }
          const type = (answer.headers.get("Content-Type") || "").split(";")[0];
          const about = type + " · " + body.size.toLocaleString("en") + " bytes · " + time + " ms";
          const image = new Image();
          image.alt = "The result";
          image.src = URL.createObjectURL(body);
          try {
            await image.decode();
            facts.textContent = image.naturalWidth + " × " + image.naturalHeight + " px · " + about;
            figure.append(image);
          } catch {
            fail("This browser does not show " + about);
          }
        })();
        """
}
