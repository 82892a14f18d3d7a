import Foundation
import WebImageCore
import WebImageS3

/// The buckets of the `s3:` URLs of a command line.
enum BucketOperands {
    /// Makes a loader of the buckets that the operands name; nil if they name none.
    ///
    /// A bucket has the address of `--s3-source`; without one, the address follows from the environment.
    static func loader(_ operands: [Operand], _ arguments: Arguments) throws(UsageError) -> S3ImageLoader? {
        var buckets: [String: S3Configuration] = [:]
        for address in arguments.strings("s3-source") {
            let bucket = try configuration(address)
            guard buckets.updateValue(bucket, forKey: bucket.bucket) == nil else {
                throw UsageError("--s3-source: the bucket \(bucket.bucket) has two addresses")
            }
        }
        var isUsed = false
        for operand in operands where operand.text.prefix(5).lowercased() == "s3://" {
            isUsed = true
            guard let name = S3ObjectName(operand.text) else {
                throw UsageError(
                    "\(RawText.shown(operand.text)) is no object: write s3://bucket/name[?versionId=…], with ? and # in the"
                        + " name as %3F and %23")
            }
            if buckets[name.bucket] == nil { buckets[name.bucket] = try configuration("s3://\(name.bucket)") }
        }
        return isUsed ? S3ImageLoader(Array(buckets.values)) : nil
    }

    private static func configuration(_ address: String) throws(UsageError) -> S3Configuration {
        do throws(WebImageError) {
            return try S3Configuration(url: address)
        } catch {
            throw UsageError("'\(address)' is no address of a bucket. \(error.hint ?? "")")
        }
    }
}
