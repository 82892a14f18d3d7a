import Foundation
import Testing

/// Each option and each context key is listed with the tests that fail if the library ignores it.
struct OptionTableTests {
    private static let options: [String: [String]] = [
        "retryFailed": [
            "aRetryThatSucceedsForgetsTheFailure", "undecodableDataIsNotStoredAndItsURLIsRememberedAsFailed",
        ],
        "lowPriority": ["priorityOptionsReachTheLoader"],
        "progressiveLoad": ["partialImagesPrecedeTheImageAndAreNeverStored"],
        "refreshCached": ["aChangedImageComesSecondAndIsStored"],
        "continueInBackground": ["optionsForTheLoaderReachIt"],
        "handleCookies": ["optionsForTheLoaderReachIt", "cookiesSeparateIdentitiesAndScopes"],
        "allowInvalidSSLCertificates": [
            "optionsForTheLoaderReachIt", "uncheckedCertificatesHaveAScopeOfTheirOwn",
        ],
        "highPriority": ["priorityOptionsReachTheLoader"],
        "delayPlaceholder": ["delayedPlaceholderIsShownOnlyAfterAFailure"],
        "transformAnimatedImage": ["animatedImagesAreTransformedOnRequestAlone"],
        "avoidAutoSetImage": ["imageIsNotSetWithAvoidAutoSetImage"],
        "scaleDownLargeImages": ["scaleDownLargeImagesUsesTheDefaultLimit"],
        "queryMemoryData": ["queryMemoryDataAddsTheBytesToAMemoryHit"],
        "queryMemoryDataSync": ["queryMemoryDataSyncAnswersBeforeReturning"],
        "queryDiskDataSync": ["queryDiskDataSyncAnswersBeforeReturningAlsoAtAnotherSize"],
        "fromCacheOnly": ["fromCacheOnlyNeverCallsTheLoader"],
        "fromLoaderOnly": ["fromLoaderOnlySkipsBothLayersAndStillStores"],
        "forceTransition": ["forceTransitionRunsForEveryFinalImageAndNoPartialOne"],
        "avoidDecodeImage": ["forceDecodeOptionsChangeNothing"],
        "decodeFirstFrameOnly": ["decodeFirstFrameOnlyReachesTheCoder"],
        "preloadAllFrames": ["animatedImageClassIsUsedAndPreloaded"],
        "matchAnimatedImageClass": ["aClassThatMustMatchFailsWhereItCannot"],
        "waitStoreCache": ["onlyWaitStoreCacheCompletesAfterTheStores"],
        "transformVectorImage": ["vectorImagesAreTransformedOnlyOnRequest"],
        "avoidAutoCancelImage": ["uncancelledOlderLoadNeverReplacesANewerImage"],
        "waitTransition": ["waitTransitionDefersEveryCompletion"],
    ]

    private static let keys: [String: [String]] = [
        "setImageOperationKey": ["keysLoadIndependently"],
        "customManager": ["loadsOfAReleasedViewCompleteOnce"],
        "callbackQueue": ["completionsRunOnTheCallbackQueue"],
        "imageCache": ["theContextsCacheAndLoaderAreUsed"],
        "imageLoader": ["theContextsCacheAndLoaderAreUsed"],
        "imageCoder": ["coderOfTheContextEncodesAndDecodes", "failureOfOneCoderRemovesNoValidEntry"],
        "imageTransformer": ["nullDisablesTheManagersTransformer"],
        "imageForceDecodePolicy": ["forceDecodeOptionsChangeNothing"],
        "imageDecodeOptions": ["decodeOptionsReachTheCoderAndContextKeysOverrideThem"],
        "imageScaleFactor": ["scaleIsReadFromTheContextOrElseTheKey"],
        "imagePreserveAspectRatio": ["thumbnailFitsItsBoxAndHasItsKey"],
        "imageThumbnailPixelSize": ["thumbnailFitsItsBoxAndHasItsKey"],
        "imageTypeIdentifierHint": ["typeHintIsTheKeysExtensionUnlessDisabled"],
        "imageScaleDownLimitBytes": ["scaleDownLargeImagesLimitsTheDecodeAndIsNotServedToOtherLoads"],
        "imageDecodeToHDR": ["hdrImageIsNotServedForAStandardRequest", "anotherLayoutOrColourIsNotServedFromMemory"],
        "imageEncodeOptions": ["managerTransformerIsApplied", "encodeOptionsReachTheCache"],
        "queryCacheType": ["queryCacheTypeNamesTheLayers"],
        "storeCacheType": ["storeTypesNameTheLayersFilled"],
        "originalQueryCacheType": ["originalIsLookedUpInMemoryOnlyIfTheContextAsksForIt"],
        "originalStoreCacheType": ["storeTypesNameTheLayersFilled"],
        "originalImageCache": ["originalsHaveACacheOfTheirOwn"],
        "animatedImageClass": ["animatedImageClassIsUsedAndPreloaded"],
        "downloadRequestModifier": ["modifierThatSetsTheUserSharesNoDownloadOrEntry"],
        "downloadResponseModifier": ["responseModifierSetsApart"],
        "downloadDecryptor": ["decryptorSeparatesIdentities"],
        "alternativeSources": ["nextSourceIsLoadedWhenTheFirstFails"],
        "lowDataSource": ["lowDataSourceIsUsedOnlyOnMeteredNetworksAndNotStored"],
        "cacheKeyFilter": ["theKeyFilterNamesTheKey"],
        "cacheSerializer": ["theSerializerChoosesTheBytes"],
        "cacheScope": ["twoScopesOfOneURLShareNothing"],
        "cacheExpiration": ["anEntryExpiresAtTheTimeOfItsRequest"],
        "loaderCachedImage": ["notModifiedKeepsBytesAndRenewsMetadata"],
        "decodingLimits": ["limitOfTheContextApplies"],
    ]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the names that a source file declares as `public static let`.
    private func declared(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Sources/" + file), encoding: .utf8)
        return Set(text.matches(of: /public static let (\w+) = WebImage/).map { String($0.1) })
    }

    @Test func everyOptionAndKeyHasItsPlace() throws {
        let names =
            ["WebImageOptions", "WebImageContextOption"]
            + ["Picture", "Caching", "Loading"].map { "RequestFields+" + $0 }
        let declared = try names.map { try self.declared(in: "WebImageLoading/Request/\($0).swift") }
        let ineffective = try self.declared(in: "WebImageCompatibility/OptionsWithoutEffect.swift")
        #expect(declared.reduce(ineffective) { $0.union($1) } == Set(Self.options.keys).union(Self.keys.keys))
    }

    @Test func everyNamedTestExists() throws {
        let tests = Self.root.appendingPathComponent("Tests")
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil))
        var functions: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            functions.formUnion(text.matches(of: /func (\w+)/).map { String($0.1) })
        }
        for (name, shown) in Self.options.merging(Self.keys, uniquingKeysWith: { $1 }) {
            #expect(!shown.isEmpty, "\(name)")
            for test in shown { #expect(functions.contains(test), "\(name): \(test)") }
        }
    }
}
