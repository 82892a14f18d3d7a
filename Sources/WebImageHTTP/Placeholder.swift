import CCurl
import WebImageCore
