import CZimg
import WebImageCore
