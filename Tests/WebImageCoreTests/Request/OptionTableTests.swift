import Foundation
import Testing

/// Each option and each context key is listed with the tests that fail if the library ignores it.
struct OptionTableTests {
    private static let options: [String: [String]] = [
        "retryFailed": [
            "aRetryThatSucceedsForgetsTheFailure", "whatIsNoPictureIsStoredNowhereAndRememberedAsFailed",
        ],
        "lowPriority": ["priorityOptionsReachTheLoader"],
        "progressiveLoad": ["previewsComeFirstAndAreNeverStored"],
        "refreshCached": ["aChangedImageComesSecondAndIsStored"],
        "continueInBackground": ["optionsForTheLoaderReachIt"],
        "handleCookies": ["optionsForTheLoaderReachIt", "cookiesSetApartAndScope"],
        "allowInvalidSSLCertificates": [
            "optionsForTheLoaderReachIt", "uncheckedCertificatesHaveAScopeOfTheirOwn",
        ],
        "highPriority": ["priorityOptionsReachTheLoader"],
        "delayPlaceholder": ["delayedPlaceholderIsShownOnlyAfterAFailure"],
        "transformAnimatedImage": ["animatedImagesAreTransformedOnRequestAlone"],
        "avoidAutoSetImage": ["imageOfACallerWhoShowsItItselfStaysOffTheView"],
        "scaleDownLargeImages": ["scaleDownLargeImagesBoundsTheDecodeAtTheDefault"],
        "queryMemoryData": ["queryMemoryDataAddsTheBytesToAMemoryHit"],
        "queryMemoryDataSync": ["queryMemoryDataSyncAnswersBeforeReturning"],
        "queryDiskDataSync": ["queryDiskDataSyncAnswersBeforeReturningAlsoAtAnotherSize"],
        "fromCacheOnly": ["fromCacheOnlyNeverAsksTheLoader"],
        "fromLoaderOnly": ["fromLoaderOnlySkipsBothLayersAndStillStores"],
        "forceTransition": ["forcedTransitionRunsForEveryFinishedPictureAndNoPartialOne"],
        "avoidDecodeImage": ["forcedDecodingIsNeitherNeededNorAvoided"],
        "decodeFirstFrameOnly": ["decodeFirstFrameOnlyReachesTheCoder"],
        "preloadAllFrames": ["theAnimatedClassComesFirstAndIsPreloaded"],
        "matchAnimatedImageClass": ["aClassThatMustMatchFailsWhereItCannot"],
        "waitStoreCache": ["waitStoreCacheCompletesAfterTheStoresAndPlainLoadsDoNotWait"],
        "transformVectorImage": ["vectorImagesAreTransformedOnRequestAlone"],
        "avoidAutoCancelImage": ["loadLeftRunningShowsItsImageOnlyUntilANewerOneDid"],
        "waitTransition": ["waitingForTheTransitionDefersTheCompletionAndLosesNone"],
    ]

    private static let keys: [String: [String]] = [
        "setImageOperationKey": ["keysLoadIndependently"],
        "customManager": ["loadsOfAViewThatIsGoneCompleteOnce"],
        "callbackQueue": ["completionsRunOnTheCallbackQueue"],
        "imageCache": ["theContextsCacheAndLoaderAreUsed"],
        "imageLoader": ["theContextsCacheAndLoaderAreUsed"],
        "imageCoder": ["contextsCoderWritesAndReads", "oneCodersFailureRemovesNoGoodBytes"],
        "imageTransformer": ["nullTurnsTheManagersTransformerOff"],
        "imageForceDecodePolicy": ["forcedDecodingIsNeitherNeededNorAvoided"],
        "imageDecodeOptions": ["decodeOptionsPassAndTheirOwnKeysWin"],
        "imageScaleFactor": ["scaleComesFromTheContextElseFromTheKey"],
        "imagePreserveAspectRatio": ["aThumbnailHasItsBoxAndItsKey"],
        "imageThumbnailPixelSize": ["aThumbnailHasItsBoxAndItsKey"],
        "imageTypeIdentifierHint": ["theHintIsTheKeysExtensionUnlessThereIsToBeNone"],
        "imageScaleDownLimitBytes": ["scaleDownLargeImagesBoundsTheDecodeAndIsNotServedToOthers"],
        "imageDecodeToHDR": ["highDynamicRangeIsNotServedForStandard", "anotherLayoutOrColourIsNotServedFromMemory"],
        "imageEncodeOptions": ["theManagersTransformerWorks", "encodeOptionsReachTheCache"],
        "queryCacheType": ["queryTypesNameTheLayersAsked"],
        "storeCacheType": ["storeTypesNameTheLayersFilled"],
        "originalQueryCacheType": ["originalsAreQueriedInMemoryOnRequest"],
        "originalStoreCacheType": ["storeTypesNameTheLayersFilled"],
        "originalImageCache": ["originalsHaveACacheOfTheirOwn"],
        "animatedImageClass": ["theAnimatedClassComesFirstAndIsPreloaded"],
        "downloadRequestModifier": ["twoUsersByRequestModifierShareNothingEither"],
        "downloadResponseModifier": ["responseModifierSetsApart"],
        "downloadDecryptor": ["decryptorSetsApart"],
        "alternativeSources": ["nextSourceServesWhenTheFirstFails"],
        "lowDataSource": ["standInServesOnlyWhereDataIsDearAndIsNotStored"],
        "cacheKeyFilter": ["theKeyFilterNamesTheKey"],
        "cacheSerializer": ["theSerializerChoosesTheBytes"],
        "cacheScope": ["twoScopesOfOneURLShareNothing"],
        "loaderCachedImage": ["aConfirmedImageKeepsItsBytesAndRenewsItsMetadata"],
        "decodingLimits": ["aLimitOfTheContextFires"],
    ]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the names that a source file declares as `public static let`.
    private func declared(in file: String) throws -> Set<String> {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Sources/" + file), encoding: .utf8)
        return Set(text.matches(of: /public static let (\w+)/).map { String($0.1) })
    }

    @Test func everyOptionAndKeyHasItsPlace() throws {
        #expect(try declared(in: "WebImageCore/Request/WebImageOptions.swift") == Set(Self.options.keys))
        #expect(try declared(in: "WebImageCore/Request/WebImageContextOption.swift") == Set(Self.keys.keys))
    }

    @Test func everyTestNamedIsThere() throws {
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
